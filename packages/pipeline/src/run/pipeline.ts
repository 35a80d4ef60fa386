/**
 * A pipeline: steps composed of functions, agents, teams and workflows, over one session state.
 *
 * It compiles to one core workflow; a run of it is a run of the runtime, with the same journal, stream, cancel and history.
 *
 * @module
 */
import { type StandardSchema, type Workflow, WorkflowError } from "millrace";
import { createRuntime, type RunHandle, type RunStore, type Runtime } from "millrace/runtime";
import { compilePipeline, type PipelineHooks } from "../compile/compile-pipeline.js";
import type { RunRequest } from "../compile/pipeline-state.types.js";
import type { PipelineIdentity } from "../compile/run-context.js";
import { type MediaLists, toMediaSet } from "../data/media.js";
import type { StepLike } from "../nodes/containers.js";
import type { PipelineNode, StepNode } from "../nodes/node.types.js";
import { normalizeAll } from "../nodes/normalize.js";
import type { PipelineLike } from "../nodes/pipeline-like.types.js";
import { SessionStore } from "../session/session-store.js";
import { PipelineRun } from "./pipeline-run.js";
import { sessionHooks } from "./session-hooks.js";
import { validateInput } from "./validate-input.js";

export interface PipelineOptions {
  readonly name: string;
  /** @default the name in lower case, with `-` for spaces */
  readonly id?: string;
  readonly description?: string;
  readonly steps: readonly StepLike[];
  /** Where runs and sessions are kept. @default in memory */
  readonly store?: RunStore;
  /** What the state of a new session begins with. It is never changed. */
  readonly sessionState?: Readonly<Record<string, unknown>>;
  /** A state that a run is given comes in the place of what its session has, over `sessionState`. @default false: merged */
  readonly overwriteStoredSessionState?: boolean;
  /** Checks and completes the input before anything else happens. */
  readonly inputSchema?: StandardSchema;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Puts earlier runs of the session in front of what agents and teams are told. @default false */
  readonly addHistoryToSteps?: boolean;
  /** @default all */
  readonly numHistoryRuns?: number;
}

export interface PipelineRunOptions extends MediaLists {
  /** @default made up, unique */
  readonly runId?: string;
  /** @default made up for each run */
  readonly sessionId?: string;
  readonly userId?: string;
  /** Merged over what the session has. */
  readonly sessionState?: Readonly<Record<string, unknown>>;
  /** The same for every step, as it is. */
  readonly additionalData?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Shows when steps begin and end. @default false */
  readonly streamEvents?: boolean;
  /** Shows what agents, teams and generators say. @default true */
  readonly streamExecutorEvents?: boolean;
}

export class Pipeline implements PipelineLike {
  readonly isPipeline = true;
  readonly id: string;
  readonly name: string;
  /** The pipeline as a core workflow: for `describeWorkflow`, `toMermaid`, `proveResumable`, and as a child. */
  readonly workflow: Workflow;
  readonly #options: PipelineOptions;
  readonly #nodes: readonly PipelineNode[];
  #runtime: Runtime | null = null;

  /** @throws {WorkflowError} `OPTION_INVALID`, `WORKFLOW_INVALID`. */
  constructor(options: PipelineOptions) {
    this.#options = options;
    this.name = options.name;
    this.id = options.id ?? options.name.toLowerCase().replace(/[\s_]+/g, "-");
    this.#nodes = normalizeAll(options.steps);
    this.workflow = compilePipeline({
      pipeline: this.#identity,
      children: this.#nodes,
      hooks: this.#hooks(),
      addHistory: options.addHistoryToSteps ?? false,
      numHistoryRuns: options.numHistoryRuns ?? null,
      workflows: workflowsOf(this.#nodes),
    });
  }

  get #identity(): PipelineIdentity {
    return { id: this.id, name: this.name };
  }

  /**
   * Starts a run, at once. Awaiting it gives its output; a run that fails throws what its step has thrown.
   *
   * @throws {WorkflowError} `INPUT_INVALID`, before anything is stored or shown.
   */
  run(input?: unknown, options: PipelineRunOptions = {}): PipelineRun {
    const request = this.#request(input, options);
    const labels = { session: request.sessionId, ...(request.userId !== null && { user: request.userId }) };
    const handle = this.#open().run(this.id, { request } as never, {
      labels,
      ...(options.runId !== undefined && { runId: options.runId }),
    });
    return new PipelineRun(handle as RunHandle, this.#facts(handle.runId));
  }

  /**
   * What `workflow` takes as its input for such a run: for `proveResumable`, and to run the workflow in a runtime of your own.
   *
   * @throws {WorkflowError} `INPUT_INVALID`
   */
  workflowInput(input?: unknown, options: PipelineRunOptions = {}): object {
    return { request: this.#request(input, options) };
  }

  /** A run that is stored. */
  handle(runId: string): PipelineRun {
    return new PipelineRun(this.#open().handle(runId), this.#facts(runId));
  }

  /** The sessions of the store: of this pipeline and of all others in it. */
  get sessions(): SessionStore {
    return new SessionStore(this.#open().records);
  }

  /** Goes on with runs that a crash has left, and does so from now on. Gives how many there were. */
  start(): Promise<number> {
    return this.#open().start();
  }

  /** Lets running steps finish, and closes the store. */
  async close(): Promise<void> {
    await this.#runtime?.stop();
    this.#runtime = null;
  }

  #open(): Runtime {
    const { store } = this.#options;
    this.#runtime ??= createRuntime({ workflows: { [this.id]: this.workflow }, ...(store && { store }) }) as Runtime;
    return this.#runtime;
  }

  #request(input: unknown, options: PipelineRunOptions): RunRequest & { readonly given: unknown } {
    const { inputSchema = null, dependencies = {}, metadata = {} } = this.#options;
    return {
      input: validateInput(this.name, inputSchema, input),
      additionalData: options.additionalData ?? {},
      media: toMediaSet(options),
      sessionId: options.sessionId ?? globalThis.crypto.randomUUID(),
      userId: options.userId === undefined || options.userId === "" ? null : options.userId,
      dependencies: { ...dependencies, ...options.dependencies },
      metadata: { ...options.metadata, ...metadata },
      shared: null,
      showsSteps: options.streamEvents ?? false,
      showsExecutors: options.streamExecutorEvents ?? true,
      given: options.sessionState ?? null,
    };
  }

  #facts(runId: string) {
    return { runId, pipeline: this.#identity, workflow: this.workflow };
  }

  #hooks(): PipelineHooks {
    const { sessionState = {}, overwriteStoredSessionState = false, steps: _, ...options } = this.#options;
    const wantsHistory =
      options.addHistoryToSteps === true ||
      options.numHistoryRuns !== undefined ||
      anyStep(this.#nodes, ({ addHistory }) => addHistory === true);
    return sessionHooks({
      pipeline: this.#identity,
      template: sessionState,
      overwrite: overwriteStoredSessionState,
      metadata: options.metadata ?? {},
      historyOf: (runId) => (wantsHistory ? this.handle(runId).output() : null),
    });
  }
}

function anyStep(nodes: readonly PipelineNode[], holds: (step: StepNode) => boolean): boolean {
  return nodes.some((node) => (node.kind === "step" ? holds(node) : anyStep(node.children, holds)));
}

/** Steps that are workflows run as children of the run. */
function workflowsOf(nodes: readonly PipelineNode[]): ReadonlyMap<string, Workflow> {
  const found = new Map<string, Workflow>();
  const visit = (node: PipelineNode): void => {
    if (node.kind !== "step") return node.children.forEach(visit);
    if (node.executorType !== "workflow") return;
    const executor = node.executor as Workflow | Pipeline;
    const workflow = "isPipeline" in executor ? executor.workflow : executor;
    if (workflow === undefined)
      throw new WorkflowError({
        code: "OPTION_INVALID",
        message: `The step "${node.name}" has an executor that is neither a pipeline nor a workflow.`,
        hint: "Give a Pipeline, or a workflow of the core.",
      });
    found.set(node.id, workflow);
  };
  nodes.forEach(visit);
  return found;
}
