/**
 * A pipeline: steps made of functions, agents, teams and workflows, over one session state.
 *
 * It compiles to one core workflow. A run of it is a run of the runtime, with the same journal, stream, cancellation
 * and history.
 *
 * @module
 */

import { copyJson, plainCopy, type SessionState, type SharedState } from "@millrace/executor";
import type { InputIndex, Workflow } from "millrace";
import { createRuntime, type RunHandle, type RunListing, type Runtime, type TenantOptions } from "millrace/runtime";
import { skippedNames } from "../attempts/run-events.js";
import { compilePipeline } from "../compile/compile-pipeline.js";
import type { SessionMetricsData } from "../data/metrics.types.js";
import type { PipelineLike } from "../data/step-function.types.js";
import { nodesOf } from "../nodes/normalize.js";
import type { PipelineEvent } from "../output/pipeline-event.types.js";
import type { PipelineRunOutput, TypedOutput } from "../output/run-output.types.js";
import { PipelineEvents } from "../plan/pipeline-events.js";
import { PipelineTree } from "../plan/pipeline-tree.js";
import { RunDependencies } from "../plan/run-dependencies.js";
import { markTrusted } from "../plan/trusted-request.js";
import { SessionStore } from "../session/session-store.js";
import {
  assertStorable,
  checkContinueOptions,
  checkHandleOptions,
  checkPipelineOptions,
  checkRunQuery,
  runIdOf,
} from "./check-options.js";
import { answersTo, assertOwnRun, type ContinueOptions } from "./continue-run.js";
import { historyToLoad, workflowsOf } from "./pipeline-facts.js";
import type { HandleOptions, PipelineOptions, RunArguments, RunQuery } from "./pipeline-options.js";
import { eventsAndEnd, otherSession, PipelineRun, runOfAnother } from "./pipeline-run.js";
import { runRequest } from "./run-request.js";
import type { RunSetup } from "./run-view.js";
import { sessionHooks } from "./session-hooks.js";
import { startEventOf } from "./start-event.js";

/** See `typed-pipeline.ts` for its types. */
export class BuiltPipeline<State extends object = SessionState, Input = unknown, Given = Input, Output = unknown>
  implements PipelineLike
{
  readonly isPipeline = true;
  readonly id: string;
  readonly name: string;
  /** Session of the runs that name no session. */
  readonly sessionId: string;
  /** The pipeline as a core workflow: for `describeWorkflow`, `toMermaid`, `proveResumable`, and as a child. */
  readonly workflow: Workflow;
  /** How many earlier runs of the session its steps may ask for; `null` for all. An enclosing pipeline loads as many. */
  readonly historyCount: number | null;
  readonly #options: PipelineOptions;
  readonly #setup: RunSetup;
  readonly #dependencies: RunDependencies;
  #runtime: Runtime | null = null;

  /** @throws {WorkflowError} `OPTION_INVALID`, `WORKFLOW_INVALID`. */
  constructor(options: PipelineOptions<State, Input, Given, Output>) {
    checkPipelineOptions(options as PipelineOptions);
    this.#options = options as PipelineOptions;
    this.name = options.name;
    this.id = options.id ?? options.name.toLowerCase().replace(/[\s_]+/g, "-");
    this.sessionId = options.sessionId ?? globalThis.crypto.randomUUID();
    this.#dependencies = new RunDependencies(options.dependencies ?? {});
    const { storeEvents = false, eventsToSkip = [] } = options;
    const parts = {
      pipeline: { id: this.id, name: this.name },
      tree: new PipelineTree(nodesOf(options.steps)),
      storage: { stores: storeEvents, skips: skippedNames(eventsToSkip) },
    };
    this.historyCount = historyToLoad(options as PipelineOptions, parts.tree.all);
    this.workflow = this.#compile(parts);
    this.#setup = { ...parts, workflow: this.workflow };
  }

  /**
   * Starts a run at once. Awaiting it returns its output, also when it is `PAUSED`; a failed run throws
   * `PIPELINE_FAILED` with the error of its step as `cause`. For a run in the background, `await run.accepted` and
   * {@link getRun} are enough.
   *
   * @throws {WorkflowError} `INPUT_INVALID`, before anything is stored or streamed.
   */
  run(...[input, given]: RunArguments<Given, State>): PipelineRun<Input, Output, State> {
    const options = given ?? {}; // `null`, too: options may come from JSON
    const request = runRequest(this.#options, { input, options, sessionId: this.sessionId });
    const { runId } = options;
    const start = { request: markTrusted(request) };
    const handle = this.#open().run(this.id, start as never, runId === undefined ? {} : { runId });
    this.#dependencies.set(handle.runId, options.dependencies);
    handle.accepted.catch(() => this.#dependencies.forget(handle.runId));
    const isMadeUp = options.sessionId === undefined && this.#options.sessionId === undefined;
    const ready = runId === undefined || !isMadeUp ? undefined : handle.accepted.catch(otherSession);
    return new PipelineRun(handle as RunHandle, this.#setup, ready);
  }

  /**
   * Starts a run at once and yields its events, those of its steps included: `run(input, { streamEvents: true }).events()`.
   * A reader that stops early does not stop the run.
   *
   * @throws {WorkflowError} as awaiting the run does, after its last event; `INPUT_INVALID` at once.
   */
  stream(...[input, given]: RunArguments<Given, State>): AsyncGenerator<PipelineEvent, void> {
    const options = { streamEvents: true, ...given };
    return eventsAndEnd(this.run(...([input, options] as unknown as RunArguments<Given, State>)));
  }

  /**
   * Continues a paused run with the answers of people: the answered requirements of its output, or answers by id.
   *
   * @throws {WorkflowError} `RUN_NOT_PAUSED`, `REQUIREMENT_INVALID`; from the run: `PROMPT_CLOSED` for a question that
   * is already answered, `SESSION_FOREIGN`.
   */
  continueRun(paused: PipelineRunOutput | string, options: ContinueOptions = {}): PipelineRun<Input, Output, State> {
    const handle = this.#open().handle(runIdOf(paused));
    checkContinueOptions(handle.runId, options);
    this.#dependencies.set(handle.runId, options.dependencies);
    const answered = answersTo(new PipelineRun(handle, this.#setup, this.#assertOwn(handle)), { paused, options });
    return new PipelineRun(handle, this.#setup, answered);
  }

  /**
   * Input of `workflow` for such a run: for `proveResumable`, and to run the workflow in your own runtime.
   *
   * @throws {WorkflowError} `INPUT_INVALID`; `OPTION_INVALID` for dependencies that are not plain data, which the
   * pipeline itself can take.
   */
  workflowInput(...[input, options]: RunArguments<Given, State>): { [field: string]: unknown } {
    assertStorable(this.name, options?.dependencies ?? {});
    const request = runRequest(this.#options, { input, options: options ?? {}, sessionId: this.sessionId });
    return { request: markTrusted(request) };
  }

  /**
   * Refers to a stored run of any user; {@link getRun} checks the user.
   *
   * @param options Dependencies for the rest of the run in this process, merged over the earlier ones.
   */
  handle(runId: string, options: HandleOptions = {}): PipelineRun<Input, Output, State> {
    checkHandleOptions(runId, options);
    this.#dependencies.set(runId, options.dependencies);
    return this.#stored(runId);
  }

  /**
   * Runs the failed step of a failed run again, and the rest of the run after it. Steps that have a result do not run again.
   *
   * @param options Dependencies for the rest of the run in this process, merged over the earlier ones.
   * @throws {WorkflowError} from the run: `RUN_UNKNOWN`; `RUN_NOT_RETRYABLE` for a run that has not failed.
   */
  retryRun(runId: string, options: HandleOptions = {}): PipelineRun<Input, Output, State> {
    checkHandleOptions(runId, options);
    this.#dependencies.set(runId, options.dependencies);
    const handle = this.#open().retry(runId);
    return new PipelineRun(
      handle,
      this.#setup,
      handle.accepted.then(() => this.#assertOwn(handle)),
    );
  }

  /**
   * Output of a run at this moment, for polling.
   *
   * @param userId User to whom the run must belong.
   * @throws {WorkflowError} `RUN_UNKNOWN`, also for a run of another pipeline; `SESSION_FOREIGN`; the cause, for a run
   * that could not begin.
   */
  async getRun(runId: string, userId?: string): Promise<TypedOutput<Input, Output, State>> {
    const output = await this.handle(runId).look();
    if (userId !== undefined) assertOwnRun(output, userId);
    return output;
  }

  /** Lists the runs of this pipeline, newest first, in pages. */
  async runs(query: RunQuery = {}): Promise<RunPage> {
    checkRunQuery(query);
    const { sessionId, userId, ...page } = query;
    const labels = {
      ...(sessionId !== undefined && { session: sessionId }),
      ...(userId !== undefined && { user: userId }),
    };
    return this.#open().runs({ workflow: this.id, labels, ...page });
  }

  /** The sessions in the store, of this and all other pipelines. */
  get sessions(): SessionStore {
    return new SessionStore(this.#open().records);
  }

  /**
   * Reads a copy of the stored state of a session.
   *
   * @param userId User to whom the session must belong.
   * @throws {WorkflowError} `SESSION_UNKNOWN`, `SESSION_FOREIGN`.
   */
  getSessionState(sessionId: string = this.sessionId, userId?: string): Promise<SharedState<State>> {
    return this.sessions.getSessionState(sessionId, userId) as Promise<SharedState<State>>;
  }

  /**
   * Replaces these fields of the stored state, and returns the new state.
   *
   * @param userId User to whom the session must belong.
   * @throws {WorkflowError} `SESSION_UNKNOWN`, `SESSION_FOREIGN`, `VALUE_UNSERIALIZABLE`.
   */
  updateSessionState(
    updates: Readonly<Partial<SharedState<State>>>,
    sessionId: string = this.sessionId,
    userId?: string,
  ): Promise<SharedState<State>> {
    const state = this.sessions.updateSessionState(updates as SessionState, sessionId, userId);
    return state as Promise<SharedState<State>>;
  }

  /**
   * Sum of the metrics of all ended runs of a session; `null` when there are none.
   *
   * @param userId User to whom the session must belong.
   * @throws {WorkflowError} `SESSION_FOREIGN`
   */
  async getSessionMetrics(sessionId: string = this.sessionId, userId?: string): Promise<SessionMetricsData | null> {
    return (await this.sessions.get(sessionId, userId))?.metrics ?? null;
  }

  /** Resumes runs after a crash, now and from now on. Resolves to how many were claimed first, at most 100. */
  start(): Promise<number> {
    return this.#open().start();
  }

  /** Waits for running steps and closes the store. */
  async close(): Promise<void> {
    await this.#open().stop(); // the store exists even when nothing has run
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #stored(runId: string, options: TenantOptions = {}): PipelineRun<Input, Output, State> {
    const handle = this.#open().handle(runId, options);
    return new PipelineRun(handle, this.#setup, this.#assertOwn(handle));
  }

  /** @throws {WorkflowError} `RUN_UNKNOWN` */
  async #assertOwn(handle: RunHandle): Promise<void> {
    const { workflow } = await handle.summary();
    if (workflow !== this.id) throw runOfAnother(handle.runId, { asked: this.id, of: workflow });
  }

  #compile(parts: Omit<RunSetup, "workflow">): Workflow {
    const { pipeline, tree } = parts;
    const { description = null, agent = null, ...options } = this.#options;
    const { sessionState = {}, overwriteDbSessionState = false, metadata = {} } = options;
    const reducers = { ...options.reducers };
    const count = this.historyCount;
    return compilePipeline({
      ...parts,
      description,
      limits: options.limits ?? {},
      index: (options.index ?? {}) as InputIndex,
      events: new PipelineEvents(tree),
      start: startEventOf(this.#options),
      hooks: sessionHooks({
        pipeline,
        tree,
        template: copyJson(sessionState),
        overwrite: overwriteDbSessionState,
        reducers,
        metadata: plainCopy(metadata) as Readonly<Record<string, unknown>>,
        history: { count, read: (runId, tenant) => this.#stored(runId, { tenant }).output() },
        inputSchema: options.inputSchema ?? null,
        outputSchema: options.outputSchema ?? null,
      }),
      addHistory: options.addWorkflowHistoryToSteps ?? false,
      numHistoryRuns: options.numHistoryRuns ?? null,
      loadsHistory: count !== 0,
      keepsExecutorRuns: options.storeExecutorOutputs ?? true,
      agent,
      dependencies: this.#dependencies,
      opensSession: options.forkState ?? true,
      reducers,
      workflows: workflowsOf(tree.all),
    });
  }

  #open(): Runtime {
    const { store } = this.#options;
    this.#runtime ??= createRuntime({ workflows: { [this.id]: this.workflow }, ...(store && { store }) }) as Runtime;
    return this.#runtime;
  }
}

/** A page of runs, newest first. */
export interface RunPage {
  readonly runs: readonly RunListing[];
  /** Cursor for the next page; `null` on the last one. */
  readonly cursor: string | null;
}
