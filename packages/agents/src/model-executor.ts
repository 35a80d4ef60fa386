import { type AgentWorkflow, agentWorkflow } from "./loop/agent-workflow.js";
import { runInStep } from "./loop/step-run.js";
import { check, continueRules, runRules, stepRules } from "./settings/check-options.js";
import {
  emptyMetrics,
  type ExecutorResume,
  mergeValues,
  type StepMetricsData,
  type ExecutorEvent,
} from "@millrace/pipeline/executor";
import { WorkflowError } from "millrace";
import type { Executor, ExecutorRequest, ExecutorResult } from "./settings/executor.types.js";
import { resumedJob } from "./pause/read-pause.js";
import { eventsOf } from "./run/events-of.js";
import { toFailure } from "./run/failure.js";
import { failedRun, openRun, performRun } from "./memory-run.js";
import { confirmationOf } from "./settings/tool.js";
import type { SessionState } from "./settings/run-context.types.js";
import type {
  AgentRun,
  AgentRunOptions,
  CallAnswer,
  ContinueOptions,
  PausedRun,
  StepRunOptions,
} from "./settings/run-options.types.js";
import { continueInSession, runInSession, whoRuns } from "./session-run.js";
import { loadSession, saveSession } from "./sessions/saved-session.js";
import type { AgentSession, AgentSessions } from "./settings/sessions.types.js";
import type { ExecutorSettings } from "./settings/executor-settings.types.js";
import type { RunJob } from "./settings/job.types.js";
import { plainState } from "./state/live-state.js";
import { rememberSettings } from "./settings/known-settings.js";
import { newId, nowMs } from "./system.js";

/** Names a session and its user. Both default to those of the executor. */
export interface SessionChoice {
  readonly sessionId?: string;
  readonly userId?: string;
}

/**
 * What agents and teams have in common. A run never changes the object: concurrent runs share only a session, and only
 * when both name the same one.
 */
export abstract class ModelExecutor<Output> implements Executor {
  abstract readonly kind: "agent" | "team";
  readonly id: string;
  readonly name: string;
  readonly role: string | undefined;
  readonly description: string | undefined;
  /** Session of the runs that name no session. */
  readonly sessionId: string;
  readonly #settings: ExecutorSettings;
  #workflow: AgentWorkflow<unknown> | undefined;

  protected constructor(settings: ExecutorSettings, role: string | undefined) {
    this.#settings = settings;
    rememberSettings(this, settings);
    this.id = settings.id;
    this.name = settings.name;
    this.role = role;
    this.description = settings.description;
    this.sessionId = settings.sessionId;
  }

  /** The language model, as given in the options. */
  get model(): ExecutorSettings["model"] {
    return this.#settings.model;
  }

  /** `true` when a tool, a guard, a member or an agent that takes over may ask a person. */
  get canPause(): boolean {
    const { tools, sdkTools, members, canHandOffTo, guards } = this.#settings;
    if (typeof sdkTools === "function" || canHandOffTo.length > 0 || Object.keys(guards).length > 0) return true;
    const sdk = Object.values(sdkTools);
    return (
      sdk.some(
        ({ needsApproval = false, execute, type }) => needsApproval !== false || (!execute && type !== "provider"),
      ) ||
      tools.some((tool) => tool.execute === undefined || confirmationOf(tool) !== null) ||
      members.some(({ executor }) => executor.canPause === true)
    );
  }

  /**
   * The agent as a workflow of one step: for `createRuntime`, `createServer`, or as a child. A model call or a tool call that was made
   * is not made again when the run continues after a crash.
   */
  get workflow(): AgentWorkflow<Output> {
    this.#workflow ??= agentWorkflow(this.#settings, (input, options) => runInStep(this.#settings, input, options));
    return this.#workflow as AgentWorkflow<Output>;
  }

  /**
   * Runs once and saves the session. When a tool call needs the permission of a person, the run ends with the status
   * `PAUSED`; continue it with {@link continueRun}.
   *
   * @throws {WorkflowError} `AGENT_FAILED` when the model fails, `AGENT_OUTPUT_INVALID`, `RUN_CANCELLED` when the
   * signal aborts, `SESSION_FOREIGN`, `SESSION_BUSY`, `STATE_UNSTORABLE`.
   *
   * With `ctx`, it runs inside of a step: each model call and each tool call is recorded and made once, and a call that needs
   * permission waits for an answer to its prompt instead of pausing.
   */
  async run(input: unknown, options: AgentRunOptions | StepRunOptions = {}): Promise<AgentRun<Output>> {
    if ("ctx" in options) {
      check(this.name, options, { rules: stepRules });
      return (await runInStep(this.#settings, input, options)) as AgentRun<Output>;
    }
    check(this.name, options, { rules: runRules });
    return (await runInSession(this.#settings, { input, options, emit: undefined })) as AgentRun<Output>;
  }

  /**
   * Runs once and yields the events of the run and of its members. The run starts with the first read. A reader that
   * stops before the last event cancels the run; state changes made until then are saved.
   *
   * @throws {WorkflowError} as `run` does, after the `RunError` or `RunCancelled` event.
   */
  stream(input: unknown, options: AgentRunOptions = {}): AsyncGenerator<ExecutorEvent, void, undefined> {
    check(this.name, options, { rules: runRules });
    return eventsOf(options, (emit, signal) =>
      runInSession(this.#settings, { input, options: { ...options, signal }, emit }),
    );
  }

  /**
   * Continues a paused run. Allowed calls are made; the model is told which calls were rejected, and the notes. The run
   * may pause again. Where the session has stored the run, its ids are enough.
   *
   * @param answers One answer for each of `pause.requirements`.
   * @throws {WorkflowError} `RUN_NOT_PAUSED`; `REQUIREMENT_INVALID` naming every problem of the answers; else as `run`.
   */
  async continueRun(
    run: PausedRun,
    answers: readonly CallAnswer[],
    options: ContinueOptions = {},
  ): Promise<AgentRun<Output>> {
    check(this.name, options, { rules: continueRules });
    const request = { paused: run, answers, options, emit: undefined };
    return (await continueInSession(this.#settings, request)) as AgentRun<Output>;
  }

  /** Does the same as {@link continueRun} and yields the events, `RunContinued` first. @see {@link stream} */
  continueStream(
    run: PausedRun,
    answers: readonly CallAnswer[],
    options: ContinueOptions = {},
  ): AsyncGenerator<ExecutorEvent, void, undefined> {
    check(this.name, options, { rules: continueRules });
    return eventsOf(options, (emit, signal) =>
      continueInSession(this.#settings, { paused: run, answers, options: { ...options, signal }, emit }),
    );
  }

  /**
   * Runs as a step of a pipeline or a member of a team, with the state and context of the caller and without a session
   * of its own. Never rejects.
   */
  async execute(request: ExecutorRequest): Promise<ExecutorResult> {
    const settings = this.#settings;
    const job = jobOf(settings, request);
    const opened = request.resume === undefined ? job : tryToResume(settings, job, request.resume);
    const run = openRun(settings, WorkflowError.is(opened) ? job : opened);
    const result = WorkflowError.is(opened) ? failedRun(run, opened) : await performRun(run);
    run.events.end(result, null);
    return result;
  }

  /**
   * Reads a copy of the session's stored state.
   *
   * @throws {WorkflowError} `SESSION_UNKNOWN` when the session does not exist.
   */
  async getSessionState(sessionId?: string): Promise<SessionState> {
    return (await this.#session({ ...(sessionId === undefined ? {} : { sessionId }) })).state;
  }

  /**
   * Replaces the values of the given keys in the stored state and saves the session.
   *
   * @returns the new state.
   * @throws {WorkflowError} `SESSION_UNKNOWN` when the session does not exist.
   */
  async updateSessionState(updates: SessionState, choice: SessionChoice = {}): Promise<SessionState> {
    const before = await this.#session(choice);
    const state = { ...before.state, ...plainState(updates) };
    const change = {
      ...this.#who(choice),
      before,
      base: before.state,
      state,
      counted: {},
      run: null,
      metrics: emptyMetrics,
    };
    return saveSession(this.#store(change.sessionId), change);
  }

  /**
   * Reads the sum of the metrics of all runs in the session, failed runs included.
   *
   * @throws {WorkflowError} `SESSION_UNKNOWN` when the session does not exist.
   */
  async getSessionMetrics(sessionId?: string): Promise<StepMetricsData> {
    return (await this.#session({ ...(sessionId === undefined ? {} : { sessionId }) })).metrics;
  }

  async #session(choice: SessionChoice): Promise<AgentSession> {
    const who = this.#who(choice);
    const session = await loadSession(this.#store(who.sessionId), who);
    if (session === null) throw unknownSession(who.sessionId, "Run it once with this `sessionId` first.");
    return session;
  }

  #who({ sessionId, userId }: SessionChoice): ReturnType<typeof whoRuns> {
    const { sessionId: id } = whoRuns(this.#settings, sessionId === undefined ? {} : { sessionId });
    return { sessionId: id, userId: userId || null };
  }

  #store(sessionId: string): AgentSessions {
    const { sessions } = this.#settings;
    if (sessions === undefined) throw unknownSession(sessionId, "Give it a store: `sessions: memorySessions()`.");
    return sessions;
  }
}

function jobOf(settings: ExecutorSettings, request: ExecutorRequest): RunJob {
  const { images = [], videos = [], audio = [], files = [], runContext } = request;
  const dependencies = runContext?.dependencies ?? {};
  return {
    runId: newId(),
    parentRunId: request.parentRunId ?? null,
    createdAtMs: nowMs(),
    resumed: null,
    input: request.input,
    media: [...images, ...videos, ...audio, ...files],
    sessionId: request.sessionId ?? null,
    userId: request.userId || null,
    state: request.sessionState,
    base: request.sessionState,
    defaults: settings.sessionState,
    outerContext: runContext,
    dependencies: Object.keys(dependencies).length > 0 ? dependencies : settings.dependencies,
    metadata: mergeValues(runContext?.metadata ?? {}, settings.metadata),
    history: request.history ?? [],
    report: request.report,
    emit: request.stream,
    signal: request.signal,
    idempotencyKey: request.idempotencyKey,
  };
}

function tryToResume(settings: ExecutorSettings, job: RunJob, resume: ExecutorResume): RunJob | WorkflowError {
  try {
    return resumedJob(settings, job, resume);
  } catch (error) {
    return toFailure(error, settings);
  }
}

function unknownSession(sessionId: string, hint: string): WorkflowError {
  return new WorkflowError({
    code: "SESSION_UNKNOWN",
    message: `There is no session "${sessionId}".`,
    hint,
    details: { sessionId },
  });
}
