import type { InspectionName } from "../inspect/inspection-events.js";
import type { InspectionListener } from "../inspect/inspector.js";
import type { Telemetry } from "../inspect/telemetry.types.js";
import type { ResumeOptions, RunOptions, WorkflowHandler } from "./handler.types.js";
import type { Middleware } from "./middleware.types.js";
import type { PromptOf, ResultOf, RunArguments, Runnable } from "./run.types.js";
import type { RunContext } from "./run-context.types.js";
import type { StateOf, workflowState } from "./workflow-facts.types.js";

/**
 * A workflow: extend it and decorate its steps.
 *
 * The graph is checked when an instance is first run, described, validated or given a context, because fields made with
 * `step(options, fn)` do not exist before the constructor has ended. Problems of a single decorated step are errors of
 * the constructor.
 *
 * It is an interface and a constant instead of a class, so that `extends Workflow<{ count: number }>` does not compile:
 * a state type always has a schema (`withState`). Names of its members cannot be names of steps.
 */
export interface Workflow<State = unknown> {
  readonly [workflowState]: State;

  /**
   * Starts a run and returns synchronously. `input` is the fields of the start event, or the event.
   *
   * @throws {WorkflowError} `WORKFLOW_INVALID` naming every problem of the graph; `EVENT_INVALID` for invalid input;
   * `START_AMBIGUOUS` when none or more than one of several start events accepts the input.
   */
  run<Self extends Workflow>(
    this: Self & Runnable<Self>,
    input: undefined,
    options: RunOptions<StateOf<Self>> & { readonly context: RunContext<StateOf<Self>> },
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>, PromptOf<Self>>;
  run<Self extends Workflow>(
    this: Self & Runnable<Self>,
    ...args: RunArguments<Self, RunOptions<StateOf<Self>>>
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>, PromptOf<Self>>;

  /** Continues a run that was running, waiting or cancelled. */
  resume<Self extends Workflow>(
    this: Self & Runnable<Self>,
    context: RunContext<StateOf<Self>>,
    options?: ResumeOptions,
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>, PromptOf<Self>>;

  /** Runs the failed and leftover work of a failed or timed-out run again, with reset counters. */
  retry<Self extends Workflow>(
    this: Self & Runnable<Self>,
    context: RunContext<StateOf<Self>>,
    options?: ResumeOptions,
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>, PromptOf<Self>>;

  /** Calls `listener` for this inspection event of all runs of this instance. Returns the function that stops it. */
  on<Name extends InspectionName>(name: Name, listener: InspectionListener<Name>): () => void;

  /** Wraps every attempt of every step. The first middleware added is the outermost. */
  use(middleware: Middleware): this;
  /** Traces all runs of this instance and their children. One at a time: the last one counts. */
  use(telemetry: Telemetry): this;

  /** Disposes the resources with the scope `workflow`. */
  [Symbol.asyncDispose](): Promise<void>;
}
