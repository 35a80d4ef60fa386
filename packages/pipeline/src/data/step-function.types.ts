/**
 * Types of what does the work of a step, besides executors: functions, workflows and pipelines.
 *
 * @module
 */
import type { RunContext } from "@millrace/executor";
import type { Workflow } from "millrace";
import type { StepInput } from "./step-input.js";

/**
 * A function or a generator function. Text that a generator yields becomes the content, piece by piece.
 *
 * A function may declare the type of the session state, as `RunContext<State>`, and the contents that it reads, as
 * `StepInput<{ readonly title: string }>`.
 */
export type StepFunction<Context = RunContext, Input = StepInput, Result = unknown> = (
  input: Input,
  context: Context,
) => Result;

/** A function whose context or input may be declared in more detail: a method, because its parameters are compared both ways. */
export type AnyStepFunction = { call(input: StepInput, context: RunContext): unknown }["call"];

/** A workflow of the core as a step: any `Workflow`. It gets the message as `input`. */
export interface CoreWorkflow {
  run(...given: never): unknown;
  resume(...given: never): unknown;
  retry(...given: never): unknown;
}

/** A pipeline as a step of another one. An interface, because the class itself depends on the nodes. */
export interface PipelineLike {
  readonly isPipeline: true;
  readonly name: string;
}

/** What a run needs of a nested pipeline. */
export interface NestedPipeline extends PipelineLike {
  readonly workflow: Workflow;
  /** How many earlier runs of the session its steps may ask for; `null` for all. */
  readonly historyCount: number | null;
}

/** Identifies a pipeline in outputs and events. */
export interface PipelineIdentity {
  readonly id: string;
  readonly name: string;
}
