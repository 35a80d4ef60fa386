import type { RunContext } from "../context/run-context.types.js";
import type { InspectionName } from "../inspect/inspection-events.js";
import type { InspectionListener } from "../inspect/inspector.js";
import type { ResumeOptions, RunOptions, WorkflowHandler } from "../run/handler.types.js";
import type { Middleware } from "./middleware.types.js";
import type { ResultOf, RunArguments, Runnable } from "./run.types.js";
import type { StateOf, workflowState } from "./workflow-facts.types.js";

/**
 * A workflow: extend it and decorate its steps.
 *
 * The graph is checked when an instance is first run, described, validated or given a context: fields made with
 * `step(options, fn)` are not there before its constructor has ended. What is wrong with a decorated step by itself
 * is an error of the constructor.
 *
 * An interface and a constant instead of a class: `extends Workflow<{ count: number }>` then does not compile, so a state type
 * always has a schema behind it (`withState`). Its members are names that no step may have.
 */
export interface Workflow<State = unknown> {
  readonly [workflowState]: State;

  /**
   * Starts a run, at once and synchronously. `input` is the fields of the start event, or the event.
   *
   * @throws {WorkflowError} `WORKFLOW_INVALID` with all that is wrong with the graph, `EVENT_INVALID` when the input does not
   * fit the start event, `START_AMBIGUOUS` when it fits none of several, or more than one.
   */
  run<Self extends Workflow>(
    this: Self & Runnable<Self>,
    input: undefined,
    options: RunOptions<StateOf<Self>> & { readonly context: RunContext<StateOf<Self>> },
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>>;
  run<Self extends Workflow>(
    this: Self & Runnable<Self>,
    ...args: RunArguments<Self, RunOptions<StateOf<Self>>>
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>>;

  /** Continues a run that was running, waiting or cancelled. */
  resume<Self extends Workflow>(
    this: Self & Runnable<Self>,
    context: RunContext<StateOf<Self>>,
    options?: ResumeOptions,
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>>;

  /** Runs the failed and leftover work of a failed or timed-out run again, with fresh counters. */
  retry<Self extends Workflow>(
    this: Self & Runnable<Self>,
    context: RunContext<StateOf<Self>>,
    options?: ResumeOptions,
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>>;

  /** Calls `listener` for what happens in any run of this instance. Gives the way to stop. */
  on<Name extends InspectionName>(name: Name, listener: InspectionListener<Name>): () => void;

  /** Wraps every attempt of every step. The first one added is the outermost. */
  use(middleware: Middleware): this;

  /** Disposes the resources of the scope `workflow`. */
  [Symbol.asyncDispose](): Promise<void>;
}
