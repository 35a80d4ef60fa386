/**
 * A pipeline: steps composed of functions, agents, teams and workflows, over one session state.
 *
 * It compiles to one core workflow; a run of it is a run of the runtime, with the same journal, stream, cancel and history.
 *
 * @module
 */
import type { Workflow } from "millrace";
import { createRuntime, type RunHandle, type Runtime, type TenantOptions } from "millrace/runtime";
import { compilePipeline } from "../compile/compile-pipeline.js";
import { markMadeHere } from "../compile/made-here.js";
import { PipelineTree } from "../compile/pipeline-tree.js";
import { plainCopy } from "../compile/plain-copy.js";
import { RunDependencies } from "../compile/run-dependencies.js";
import { type EventStorage, skippedNames } from "../compile/run-events.js";
import type { SessionMetricsData } from "../data/metrics.types.js";
import type { SessionState } from "../nodes/executor.types.js";
import type { PipelineNode } from "../nodes/node.types.js";
import { normalizeAll } from "../nodes/normalize.js";
import type { PipelineIdentity, PipelineLike } from "../nodes/pipeline-like.types.js";
import { copyJson } from "../session/json.js";
import { SessionStore } from "../session/session-store.js";
import { assertStorable, checkOptions } from "./check-options.js";
import { answersTo, assertOwnRun, type ContinueOptions } from "./continue-run.js";
import { listRuns, type RunPage, type RunQuery } from "./list-runs.js";
import { historyToLoad, workflowsOf } from "./pipeline-facts.js";
import type { HandleOptions, PipelineOptions, RunArguments } from "./pipeline-options.js";
import { PipelineRun, runOfAnother } from "./pipeline-run.js";
import type { PipelineRunOutput, TypedOutput } from "./run-output.types.js";
import { runRequest } from "./run-request.js";
import type { RunSetup } from "./run-view.js";
import { sessionHooks } from "./session-hooks.js";
import { startEventOf } from "./start-event.js";

/** `Input` is what its `inputSchema` gives, `Given` what that takes, `Output` what its `outputSchema` gives: all follow from the schemas. */
export class Pipeline<Input = unknown, Given = Input, Output = unknown> implements PipelineLike {
  readonly isPipeline = true;
  readonly id: string;
  readonly name: string;
  /** The session of runs that name none. */
  readonly sessionId: string;
  /** The pipeline as a core workflow: for `describeWorkflow`, `toMermaid`, `proveResumable`, and as a child. */
  readonly workflow: Workflow;
  /** How many earlier runs of the session its steps may ask for; null: all. A pipeline that it is a step of reads as many. */
  readonly historyCount: number | null;
  readonly #options: PipelineOptions<Input, Given, Output>;
  readonly #tree: PipelineTree;
  readonly #dependencies: RunDependencies;
  #runtime: Runtime | null = null;

  /** @throws {WorkflowError} `OPTION_INVALID`, `WORKFLOW_INVALID`. */
  constructor(options: PipelineOptions<Input, Given, Output>) {
    checkOptions(options);
    this.#options = options;
    this.name = options.name;
    this.id = options.id ?? options.name.toLowerCase().replace(/[\s_]+/g, "-");
    this.sessionId = options.sessionId ?? globalThis.crypto.randomUUID();
    this.#dependencies = new RunDependencies(options.dependencies ?? {});
    const nodes = normalizeAll(options.steps);
    this.#tree = new PipelineTree(nodes);
    this.historyCount = historyToLoad(options, nodes);
    this.workflow = this.#compile(nodes);
  }

  /**
   * Starts a run, at once. Awaiting it gives its output, also where it is `PAUSED`; a run that fails throws `PIPELINE_FAILED` with
   * what its step has thrown as `cause`. `await run.accepted` is enough for a run in the background: see {@link getRun}.
   *
   * @throws {WorkflowError} `INPUT_INVALID`, before anything is stored or shown.
   */
  run(...[input, given]: RunArguments<Given>): PipelineRun<Input, Output> {
    const options = given ?? {}; // null, too: it may come from JSON
    const request = runRequest(this.#options, { input, options, sessionId: this.sessionId });
    const { runId } = options;
    const start = { request: markMadeHere(request) };
    const handle = this.#open().run(this.id, start as never, runId === undefined ? {} : { runId });
    this.#dependencies.give(handle.runId, options.dependencies);
    handle.accepted.catch(() => this.#dependencies.forget(handle.runId));
    return new PipelineRun(handle as RunHandle, this.#setup());
  }

  /**
   * A paused run goes on with what people have said: answered requirements of its output, or answers by their id.
   *
   * @throws {WorkflowError} `RUN_NOT_PAUSED`, `REQUIREMENT_INVALID`; of the run: `PROMPT_CLOSED` for what was answered already,
   * `SESSION_FOREIGN`.
   */
  continueRun(paused: PipelineRunOutput | string, options: ContinueOptions = {}): PipelineRun<Input, Output> {
    const handle = this.#open().handle(typeof paused === "string" ? paused : paused.runId);
    this.#dependencies.give(handle.runId, options.dependencies);
    const told = answersTo(new PipelineRun(handle, this.#setup(), this.#assertOwn(handle)), { paused, options });
    return new PipelineRun(handle, this.#setup(), told);
  }

  /**
   * What `workflow` takes as its input for such a run: for `proveResumable`, and to run the workflow in a runtime of your own.
   *
   * @throws {WorkflowError} `INPUT_INVALID`; `OPTION_INVALID` for dependencies that are no plain data: give those to the pipeline.
   */
  workflowInput(...[input, options]: RunArguments<Given>): { [field: string]: unknown } {
    assertStorable(this.name, options?.dependencies ?? {});
    const request = runRequest(this.#options, { input, options: options ?? {}, sessionId: this.sessionId });
    return { request: markMadeHere(request) };
  }

  /**
   * A run that is stored, whoever's it is: {@link getRun} asks for that.
   *
   * @param options.dependencies For the rest of the run in this process, over what it was given before.
   */
  handle(runId: string, { dependencies }: HandleOptions = {}): PipelineRun<Input, Output> {
    this.#dependencies.give(runId, dependencies);
    return this.#stored(runId);
  }

  /**
   * Where a run stands at this moment, for whoever polls.
   *
   * @param userId Whose run it has to be.
   * @throws {WorkflowError} `RUN_UNKNOWN`, also for a run of another pipeline, `SESSION_FOREIGN`; for a run that could not even begin, why.
   */
  async getRun(runId: string, userId?: string): Promise<TypedOutput<Input, Output>> {
    const output = await this.handle(runId).look();
    if (userId !== undefined) assertOwnRun(output, userId);
    return output;
  }

  /** Runs of this pipeline, newest first, in pages. */
  runs(query: RunQuery = {}): Promise<RunPage> {
    return listRuns(this.#open(), this.id, query);
  }

  /** The sessions of the store: of this pipeline and of all others in it. */
  get sessions(): SessionStore {
    return new SessionStore(this.#open().records);
  }

  /**
   * A copy of what a session has stored.
   *
   * @param userId Whose session it has to be.
   * @throws {WorkflowError} `SESSION_UNKNOWN`, `SESSION_FOREIGN`.
   */
  getSessionState(sessionId: string = this.sessionId, userId?: string): Promise<SessionState> {
    return this.sessions.getSessionState(sessionId, userId);
  }

  /**
   * Replaces these fields, and gives the state.
   *
   * @param userId Whose session it has to be.
   * @throws {WorkflowError} `SESSION_UNKNOWN`, `SESSION_FOREIGN`, `STATE_UNSTORABLE`.
   */
  updateSessionState(
    updates: Readonly<SessionState>,
    sessionId: string = this.sessionId,
    userId?: string,
  ): Promise<SessionState> {
    return this.sessions.updateSessionState(updates, sessionId, userId);
  }

  /**
   * What all ended runs of a session took; null: none has ended.
   *
   * @param userId Whose session it has to be.
   * @throws {WorkflowError} `SESSION_FOREIGN`
   */
  async getSessionMetrics(sessionId: string = this.sessionId, userId?: string): Promise<SessionMetricsData | null> {
    return (await this.sessions.get(sessionId, userId))?.metrics ?? null;
  }

  /** Goes on with runs that a crash has left, and does so from now on. Gives how many there were. */
  start(): Promise<number> {
    return this.#open().start();
  }

  /** Lets running steps finish, and closes the store. */
  async close(): Promise<void> {
    await this.#open().stop(); // it may have a store, though nothing has run
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #stored(runId: string, options: TenantOptions = {}): PipelineRun<Input, Output> {
    const handle = this.#open().handle(runId, options);
    return new PipelineRun(handle, this.#setup(), this.#assertOwn(handle));
  }

  /** @throws {WorkflowError} `RUN_UNKNOWN` */
  async #assertOwn(handle: RunHandle): Promise<void> {
    const { workflow } = await handle.summary();
    if (workflow !== this.id) throw runOfAnother(handle.runId, { asked: this.id, of: workflow });
  }

  #compile(nodes: readonly PipelineNode[]): Workflow {
    const { description = null, agent = null, ...options } = this.#options;
    const { sessionState = {}, overwriteDbSessionState = false, metadata = {}, reducers = {} } = options;
    const count = this.historyCount;
    return compilePipeline({
      pipeline: this.#identity,
      description,
      tree: this.#tree,
      start: startEventOf(this.#options as PipelineOptions),
      hooks: sessionHooks({
        pipeline: this.#identity,
        tree: this.#tree,
        template: copyJson(sessionState),
        overwrite: overwriteDbSessionState,
        reducers: { ...reducers },
        metadata: plainCopy(metadata) as Readonly<Record<string, unknown>>,
        history: { count, read: (runId, tenant) => this.#stored(runId, { tenant }).output() },
        inputSchema: options.inputSchema ?? null,
        outputSchema: options.outputSchema ?? null,
      }),
      addHistory: options.addWorkflowHistoryToSteps ?? false,
      numHistoryRuns: options.numHistoryRuns ?? null,
      loadsHistory: count !== 0,
      storage: this.#storage,
      keepsExecutorRuns: options.storeExecutorOutputs ?? true,
      agent,
      dependencies: this.#dependencies,
      opensSession: options.forkState ?? true,
      reducers: { ...reducers },
      workflows: workflowsOf(nodes),
    });
  }

  get #identity(): PipelineIdentity {
    return { id: this.id, name: this.name };
  }

  get #storage(): EventStorage {
    const { storeEvents = false, eventsToSkip = [] } = this.#options;
    return { stores: storeEvents, skips: skippedNames(eventsToSkip) };
  }

  #open(): Runtime {
    const { store } = this.#options;
    this.#runtime ??= createRuntime({ workflows: { [this.id]: this.workflow }, ...(store && { store }) }) as Runtime;
    return this.#runtime;
  }

  #setup(): RunSetup {
    const { workflow } = this;
    return {
      pipeline: this.#identity,
      tree: this.#tree,
      workflow,
      storage: this.#storage,
    };
  }
}
