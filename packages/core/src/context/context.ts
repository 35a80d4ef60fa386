/** The value `Context`: contexts of runs that have not begun, or come from a snapshot. */
import { contextFromDict, newContext } from "../run/run-context.js";
import type { ContextClass, FromDictOptions, Context as StepFace } from "./context.types.js";

function ContextConstructor(workflow: object): unknown {
  return newContext(workflow);
}
ContextConstructor.fromDict = (workflow: object, dict: unknown, options?: FromDictOptions): unknown =>
  contextFromDict(workflow, dict, options);

export const Context: ContextClass = ContextConstructor as unknown as ContextClass;
export type Context<State = unknown> = StepFace<State>;
