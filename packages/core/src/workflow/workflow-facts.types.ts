/**
 * What a workflow is to the types of its steps and of their context: a state, and what a run of it takes and gives.
 *
 * @module
 */

/** No such properties at runtime. @internal */
export declare const workflowState: unique symbol;
/** @internal */
export declare const definedRun: unique symbol;
export interface DefinedRun<out Input, out Result, out Shown> {
  readonly input: Input;
  readonly result: Result;
  readonly shown: Shown;
}

/** Any workflow, where no more is asked of it than that it is one. */
export interface AnyWorkflow {
  readonly [workflowState]: unknown;
}

export type StateOf<Flow> = Flow extends { readonly [workflowState]: infer State } ? State : unknown;
