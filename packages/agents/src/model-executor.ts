import { type AgentWorkflow, agentWorkflow } from "./loop/agent-workflow.js";
import { executeInStep, runInStep } from "./loop/step-run.js";
import { check, continueRules, runRules, stepRules } from "./settings/check-options.js";
import { emptyMetrics, type ExecutorEvent, type StepMetricsData, sessionUnknown } from "@millrace/executor";
import type { Executor, StepRequest, StepResult } from "./settings/executor.types.js";
import { eventsOf } from "./run/events-of.js";
import type { SessionState } from "./settings/run-context.types.js";
import type {
  AgentRun,
  AgentRunOptions,
  CallAnswer,
  ContinueOptions,
  PausedRun,
  StepRunOptions,
} from "./settings/run-options.types.js";
import { continueAlone, runAlone } from "./agent-run.js";
import { loadSession, saveSession, type Who } from "./sessions/saved-session.js";
import type { AgentSession, AgentSessions } from "./settings/sessions.types.js";
import type { ExecutorSettings } from "./settings/executor-settings.types.js";
import { plainState } from "./state/live-state.js";
import { rememberSettings } from "./settings/known-settings.js";

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
   * signal aborts, `SESSION_FOREIGN`, `SESSION_BUSY`, `VALUE_UNSERIALIZABLE`.
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
    return (await runAlone(this.#settings, { input, options, emit: undefined })) as AgentRun<Output>;
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
      runAlone(this.#settings, { input, options: { ...options, signal }, emit }),
    );
  }

  /**
   * Continues a paused run. Allowed calls are made; the model reads which calls were rejected, and the notes. The run
   * may pause again. Where the session has stored the run, its ids are enough.
   *
   * Continues a failed run, too, where the session has stored it: its failed work is done again, and nothing that was
   * recorded.
   *
   * @param answers One answer for each of `pause.requirements`; those of a failed run are known.
   * @throws {WorkflowError} `RUN_NOT_PAUSED`, also while the run is being continued; `REQUIREMENT_INVALID` naming every
   * problem of the answers; otherwise as `run`.
   */
  async continueRun(
    run: PausedRun,
    answers: readonly CallAnswer[],
    options: ContinueOptions = {},
  ): Promise<AgentRun<Output>> {
    check(this.name, options, { rules: continueRules });
    const request = { paused: run, answers, options, emit: undefined };
    return (await continueAlone(this.#settings, request)) as AgentRun<Output>;
  }

  /** Does the same as {@link continueRun} and yields the events, `RunContinued` first. @see {@link stream} */
  continueStream(
    run: PausedRun,
    answers: readonly CallAnswer[],
    options: ContinueOptions = {},
  ): AsyncGenerator<ExecutorEvent, void, undefined> {
    check(this.name, options, { rules: continueRules });
    return eventsOf(options, (emit, signal) =>
      continueAlone(this.#settings, { paused: run, answers, options: { ...options, signal }, emit }),
    );
  }

  /**
   * Runs as a step of a pipeline, with the state and context of the caller and without its own session. Each model call and each
   * tool call is recorded in the step; a question is one of `ctx.ask`. Never rejects.
   */
  execute(request: StepRequest): Promise<StepResult> {
    return executeInStep(this.#settings, request);
  }

  /**
   * Reads a copy of the session's stored state.
   *
   * @throws {WorkflowError} `SESSION_UNKNOWN` when the session does not exist.
   */
  async getSessionState(sessionId: string = this.sessionId): Promise<SessionState> {
    return (await this.#session({ sessionId })).state;
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
    const who = this.#who(choice);
    const change = { before, base: before.state, state, counted: {}, run: null, metrics: emptyMetrics };
    return saveSession(this.#store(who.sessionId), { ...who, ...change });
  }

  /**
   * Reads the sum of the metrics of all runs in the session, failed runs included.
   *
   * @throws {WorkflowError} `SESSION_UNKNOWN` when the session does not exist.
   */
  async getSessionMetrics(sessionId: string = this.sessionId): Promise<StepMetricsData> {
    return (await this.#session({ sessionId })).metrics;
  }

  async #session(choice: SessionChoice): Promise<AgentSession> {
    const who = this.#who(choice);
    const session = await loadSession(this.#store(who.sessionId), who);
    if (session === null) throw sessionUnknown(who.sessionId, "Run it once with this `sessionId` first.");
    return session;
  }

  #who({ sessionId = this.sessionId, userId }: SessionChoice): Who {
    return { sessionId, userId: userId || null };
  }

  #store(sessionId: string): AgentSessions {
    const { sessions } = this.#settings;
    if (sessions === undefined) throw sessionUnknown(sessionId, "Set a store: `sessions: memorySessions()`.");
    return sessions;
  }
}
