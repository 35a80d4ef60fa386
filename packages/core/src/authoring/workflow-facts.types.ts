/**
 * What steps and contexts need to know of their workflow: its state, and the input and result of a run.
 *
 * @module
 */

/** The property does not exist at runtime. Its name is text, as that of `eventFacts`. @internal */
export declare const workflowState: "~state";
/** The property does not exist at runtime. @internal */
export declare const definedRun: unique symbol;
export interface DefinedRun<out Input, out Result, out Shown> {
  readonly input: Input;
  readonly result: Result;
  readonly shown: Shown;
}

/** Any workflow, when nothing else matters. */
export interface AnyWorkflow {
  readonly [workflowState]: unknown;
}

/** Type of a workflow's state. */
export type StateOf<Flow> = Flow extends { readonly [workflowState]: infer State } ? State : unknown;
