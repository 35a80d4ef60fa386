/**
 * `Pipeline` as users see it: a constructor that infers the types of the session state, the schemas and the contents of steps.
 *
 * @module
 */
import type { RunContext, SessionState, SharedState, Values } from "@millrace/executor";
import type { StepFunction } from "../data/step-function.types.js";
import type { StepInput } from "../data/step-input.js";
import type { StepObject } from "../nodes/containers.js";
import type { ContentsBefore } from "../nodes/contents.types.js";
import { BuiltPipeline } from "./pipeline.js";
import type { PipelineOptions } from "./pipeline-options.js";

/**
 * Steps that are composed of functions, agents, teams and workflows, over one session state.
 *
 * `State` is the session state; `Given` is what the `inputSchema` accepts, `Input` what it returns, and `Output` what the
 * `outputSchema` returns. All are inferred from the options.
 */
export interface Pipeline<State extends object = SessionState, Input = unknown, Given = Input, Output = unknown>
  extends BuiltPipeline<State, Input, Given, Output> {}

/** Types each function of the list by the session state, and the contents of the steps before it. */
type TypedSteps<Steps extends readonly unknown[], Context, Input> = {
  readonly [At in keyof Steps]: Steps[At] | StepFunction<Context, StepInput<ContentsBefore<Steps, At>, Input>>;
};

export interface PipelineConstructor {
  /** @throws {WorkflowError} `OPTION_INVALID`, `WORKFLOW_INVALID`. */
  new <
    State extends object = SessionState,
    const Steps extends readonly unknown[] = readonly StepObject[],
    Input = unknown,
    Given = Input,
    Output = unknown,
    Dependencies extends object = Values,
    Metadata extends object = Values,
  >(
    options: Omit<PipelineOptions<State, Input, Given, Output>, "steps" | "dependencies" | "metadata"> & {
      readonly steps: TypedSteps<
        Steps,
        RunContext<SharedState<State>, Dependencies & Values, Metadata & Values>,
        Input
      >;
      readonly dependencies?: Readonly<Dependencies>;
      readonly metadata?: Readonly<Metadata>;
    },
  ): Pipeline<State, Input, Given, Output>;
}

export const Pipeline: PipelineConstructor = BuiltPipeline as PipelineConstructor;
