/** A started run of a pipeline, for its caller. */
import { Context, type Workflow, WorkflowError } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { Shown } from "../compile/pipeline-events.js";
import type { PipelineState } from "../compile/pipeline-state.types.js";
import type { PipelineIdentity } from "../compile/run-context.js";
import { pipelineFailed } from "./pipeline-failed.js";
import { runOutput } from "./run-output.js";
import type { PipelineRunOutput, PipelineStatus } from "./run-output.types.js";

/** One event of the catalogue. */
export interface PipelineEvent {
  readonly event: string;
  readonly runId: string;
  readonly pipelineId: string;
  readonly pipelineName: string;
  /** Grows by one from event to event of the run; where a reader can go on. */
  readonly eventIndex: number;
  readonly [field: string]: unknown;
}

export interface RunSetup {
  readonly runId: string;
  readonly pipeline: PipelineIdentity;
  readonly workflow: Workflow;
}

/** A promise of the output, so no async function returns one bare. */
export class PipelineRun implements PromiseLike<PipelineRunOutput> {
  readonly #handle: RunHandle;
  readonly #setup: RunSetup;

  constructor(handle: RunHandle, setup: RunSetup) {
    this.#handle = handle;
    this.#setup = setup;
  }

  get runId(): string {
    return this.#setup.runId;
  }

  /** The run is stored. */
  get accepted(): Promise<void> {
    return this.#handle.accepted;
  }

  // biome-ignore lint/suspicious/noThenProperty: a run is a promise of its output
  then<Fulfilled = PipelineRunOutput, Rejected = never>(
    onFulfilled?: ((output: PipelineRunOutput) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.output()
      .then((output) => {
        if (output.status !== "ERROR") return output;
        throw pipelineFailed(output);
      })
      .then(onFulfilled, onRejected);
  }

  /** How the run has ended, also when it has failed or was cancelled. */
  async output(): Promise<PipelineRunOutput> {
    try {
      return (await this.#handle) as PipelineRunOutput;
    } catch (error) {
      if (!WorkflowError.is(error, "RUN_CANCELLED")) throw error;
      return this.#now("CANCELLED");
    }
  }

  /** The events of the run, all of them from the first one on, for every reader. */
  async *events(options: { readonly after?: number } = {}): AsyncGenerator<PipelineEvent, void> {
    const { runId, pipeline } = this.#setup;
    for await (const { event, sequence } of this.#handle.streamEvents(options)) {
      const base = { runId, pipelineId: pipeline.id, pipelineName: pipeline.name, eventIndex: sequence };
      if (event instanceof Shown) yield { ...(event.data as object), event: String(event.name), ...base };
    }
  }

  /** Stops the run; what was done stays. */
  async cancel(reason?: string): Promise<PipelineRunOutput> {
    await this.#handle.cancel(reason);
    return this.output();
  }

  async #now(status: PipelineStatus): Promise<PipelineRunOutput> {
    const { runId, pipeline, workflow } = this.#setup;
    const context = Context.fromDict(workflow, await this.#handle.snapshot());
    const state = (await context.store.getState()) as unknown as PipelineState;
    return runOutput({ runId, pipeline, state, status, sessionState: state.session });
  }
}
