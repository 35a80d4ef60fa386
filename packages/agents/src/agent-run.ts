/**
 * A run of an agent or a team that stands alone: a run of its workflow in memory. A pause, and a failure, are the
 * snapshot of that run, with which it is continued.
 *
 * @module
 */
import { type ExecutorEvent, type ExecutorPause, startState, type ToolRequirement } from "@millrace/executor";
import { Context, type PendingPrompt, type RunOutcome, type WorkflowError, type WorkflowHandler } from "millrace";
import { type AgentOutcome, type AgentWorkflow, agentWorkflow } from "./loop/agent-workflow.js";
import { present } from "./settings/plain.js";
import type { Ledger, LoopRun, OpenedSession, RunHost } from "./loop/loop-run.types.js";
import { runInStep } from "./loop/step-run.js";
import { saveChanges, whoRuns } from "./loop/step-session.js";
import { StoredSession } from "./loop/stored-session.js";
import { heardBy, newLedger, unfinished } from "./loop/result.js";
import { pauseOf, questionOfPrompt, repliesTo, stateOfPaused, whileAlone } from "./paused-run.js";
import { cancelled, toFailure } from "./run/failure.js";
import { observed } from "./run/observed.js";
import { RunEvents } from "./run/run-events.js";
import { loadSession, type Who } from "./sessions/saved-session.js";
import type { ExecutorResult } from "./settings/executor.types.js";
import type { ExecutorSettings } from "./settings/executor-settings.types.js";
import type { SessionState } from "./settings/run-context.types.js";
import type {
  AgentRun,
  AgentRunOptions,
  CallAnswer,
  ContinueOptions,
  PausedRun,
} from "./settings/run-options.types.js";
import type { AgentSession } from "./settings/sessions.types.js";
import { newId, nowMs, later, tickMs } from "./system.js";

type Emit = ((event: ExecutorEvent) => void) | undefined;
type Handler = WorkflowHandler<AgentOutcome<unknown>, { session: SessionState }>;
/** In an object, because a handler is a promise of the end. */
type Start = (flow: AgentWorkflow<unknown>) => Promise<{ readonly handler: Handler }>;

interface RunRequest {
  readonly input: unknown;
  readonly options: AgentRunOptions;
  readonly emit: Emit;
}

/** @throws {WorkflowError} the error of a failed run, once its session is saved. */
export function runAlone(settings: ExecutorSettings, { input, options, emit }: RunRequest): Promise<AgentRun<unknown>> {
  const { runId = newId(), idempotencyKey = runId, signal } = options;
  const { images, videos, audio, files, sessionState } = options;
  const who = whoRuns(settings, options);
  const run = new AloneRun(settings, { runId, who, options, emit, reopened: null, secondsBefore: 0, isFirst: true });
  const { sessionId, userId } = who;
  const given = present({ idempotencyKey, images, videos, audio, files, sessionState, userId: userId ?? undefined });
  return run.perform(async (flow) => ({
    handler: flow.run({ input, sessionId, ...given }, { runId, ...present({ signal }) }),
  }));
}

/** A paused or failed run, and the answers of people. */
interface ContinueRequest {
  readonly paused: PausedRun;
  readonly answers: readonly CallAnswer[];
  readonly options: ContinueOptions;
  readonly emit: Emit;
}

/**
 * Continues a run with the present state of its session.
 *
 * @throws {WorkflowError} `RUN_NOT_PAUSED`, `REQUIREMENT_INVALID`, and the error of a failed run, once its session is
 * saved.
 */
export function continueAlone(
  settings: ExecutorSettings,
  { paused, answers, options, emit }: ContinueRequest,
): Promise<AgentRun<unknown>> {
  const { runId, sessionId, userId } = paused;
  const { sessions, sessionState: template, overwriteDbSessionState: overwrite } = settings;
  const who = whoRuns(settings, { ...(sessionId && { sessionId }), ...(userId && { userId }) });
  return whileAlone(sessions ?? settings, runId, async () => {
    const session = sessions === undefined ? null : await loadSession(sessions, who, { runs: 1, runId });
    const state = stateOfPaused(settings, paused, session?.runs[0]);
    const replies = repliesTo(runId, state, answers);
    const stored = session?.state ?? paused.sessionState ?? null;
    const now = startState({ template, stored, given: options.sessionState ?? null, overwrite });
    const before = { reopened: session, secondsBefore: state.seconds, isFirst: false };
    const run = new AloneRun(settings, { runId, who, options, emit, ...before });
    return run.perform(async (flow) => {
      const context = Context.fromDict(flow, state.context);
      await context.store.set("session", now);
      const resuming = present({ signal: options.signal });
      const handler = state.status === "failed" ? flow.retry(context, resuming) : flow.resume(context, resuming);
      for (const [promptId, reply] of replies) await handler.answer(promptId, { ...reply });
      return { handler };
    });
  });
}

interface Facts {
  readonly runId: string;
  readonly who: Who;
  readonly options: ContinueOptions;
  readonly emit: Emit;
  readonly reopened: AgentSession | null;
  readonly secondsBefore: number;
  /** `false` while it is active. */
  readonly isFirst: boolean;
}

/** One part of a run: to its end, or to its next pause. */
class AloneRun implements RunHost {
  readonly events: RunEvents;
  readonly ledger: Ledger = newLedger();
  readonly #settings: ExecutorSettings;
  readonly #facts: Facts;
  readonly #startedMs: number = tickMs();
  #loop: LoopRun | null = null;
  #opened: OpenedSession | null = null;
  #input: unknown = null;
  /** What the caller gets. */
  #thrown: unknown = null;

  constructor(settings: ExecutorSettings, facts: Facts) {
    const { runId, who, emit } = facts;
    this.#settings = settings;
    this.#facts = facts;
    this.events = new RunEvents({ settings, runId, parentRunId: null, sessionId: who.sessionId, emit });
  }

  get reopened(): AgentSession | null {
    return this.#facts.reopened;
  }

  get seconds(): number {
    return this.#facts.secondsBefore + (tickMs() - this.#startedMs) / 1000;
  }

  opened(loop: LoopRun, { opened, input }: { readonly opened: OpenedSession | null; readonly input: unknown }): void {
    this.#loop = loop;
    this.#opened = opened;
    this.#input = input;
  }

  /** @throws what the run has failed with. */
  async perform(start: Start): Promise<AgentRun<unknown>> {
    const { sessionId } = this.#facts.who;
    this.events.begin(this.#facts.isFirst);
    const run = await observed({ settings: this.#settings, ledger: this.ledger, sessionId }, () =>
      this.#part(start).catch((error: unknown) => this.#failed(error)),
    );
    this.events.end(run, structuredClone(run.sessionState), run.userId);
    if (run.error !== null) throw this.#thrown;
    return run;
  }

  async #part(start: Start): Promise<AgentRun<unknown>> {
    let ended: AgentRun<unknown> | null = null;
    const { dependencies = {}, metadata = {} } = this.#facts.options;
    const flow = agentWorkflow(this.#settings, async (input, given) => {
      ended = await runInStep(this.#settings, input, { ...given, dependencies, metadata, host: this });
      return ended;
    });
    const { handler } = await start(flow);
    const outcome = await settled(handler);
    if (ended !== null && outcome.status === "completed") return ended;
    const sessionState = (await this.#loop?.session.read(handler.context)) ?? this.#settings.sessionState;
    const run =
      outcome.status === "waiting"
        ? { ...this.#result("PAUSED", null), pause: await this.#pause(handler, outcome.prompts) }
        : this.#failed(outcome.status === "failed" ? outcome.error : outcome);
    const isKept = run.status === "ERROR" && this.#opened !== null;
    const pause = isKept ? await this.#pause(handler, []) : run.pause;
    return { ...run, sessionState: await this.#save({ ...run, sessionState, pause }) };
  }

  #failed(error: unknown): AgentRun<unknown> {
    const { signal } = this.#facts.options;
    if (signal?.aborted !== true) {
      this.#thrown = error;
      return this.#result("ERROR", toFailure(error, this.#settings));
    }
    const failure = cancelled(signal.reason, this.#settings);
    this.#thrown = failure;
    return { ...this.#result("CANCELLED", failure), content: heardBy(this.ledger) };
  }

  /** What has come of the run so far. */
  #result(status: ExecutorResult["status"], error: WorkflowError | null): AgentRun<unknown> {
    const { runId, who } = this.#facts;
    const said = this.#loop?.said ?? [];
    const facts = { runId, settings: this.#settings, ledger: this.ledger, said, seconds: this.seconds };
    const { name, sessionState } = this.#settings;
    return { ...unfinished(facts, status, error), agent: name, ...who, sessionState };
  }

  async #pause(handler: Handler, prompts: readonly PendingPrompt[]): Promise<ExecutorPause> {
    const context = handler.context.toDict();
    if (prompts.length > 0) {
      showPauses(this.ledger, prompts.map(questionOfPrompt));
      await handler.cancel("The run waits for a person.");
    }
    return pauseOf({
      version: 3,
      executorId: this.#settings.id,
      status: prompts.length > 0 ? "waiting" : "failed",
      context,
      questions: prompts.map(questionOfPrompt),
      seconds: this.seconds,
    });
  }

  /** Returns the state as saved. A run that has not opened its session saves nothing. */
  async #save(run: AgentRun<unknown>): Promise<SessionState> {
    if (this.#opened === null || !(this.#loop?.session instanceof StoredSession)) return run.sessionState;
    const { counted } = this.#loop.session;
    const facts = { opened: this.#opened, who: this.#facts.who, input: this.#input };
    return saveChanges(this.#settings, { ...facts, result: run, state: run.sessionState, counted });
  }
}

/** Waits for the end of a run, or until only questions are left. */
async function settled(handler: Handler): Promise<RunOutcome<unknown>> {
  for (;;) {
    const outcome = await handler.idle();
    if (outcome.status !== "waiting" || outcome.prompts.length > 0) return outcome;
    await new Promise<void>((wake) => {
      const cancel = later(Math.max(0, (outcome.wakeAtMs ?? nowMs()) - nowMs()), wake);
      const ended = () => {
        cancel();
        wake();
      };
      handler.then(ended, ended);
    });
  }
}

/** Members that wait have paused, too, the innermost first. */
function showPauses({ open }: Ledger, questions: readonly ToolRequirement[]): void {
  for (const { ledger, path, events, settings, said } of open) {
    showPauses(ledger, questions);
    const own = questions.filter(({ toolCallId }) => toolCallId.startsWith(path));
    const requirements = own.map((one) => ({ ...one, toolCallId: one.toolCallId.slice(path.length) }));
    const result = unfinished({ runId: events.runId, settings, ledger, said }, "PAUSED", null);
    const pause = { requirements, state: null };
    if (events.hasBegun && own.length > 0) events.end({ ...result, pause }, null);
  }
}
