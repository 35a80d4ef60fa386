/** The value `Context`: creates contexts for new runs, or from snapshots. */

import type { ContextClass, Context as StepFace } from "../authoring/context.types.js";
import type { FromDictOptions } from "../authoring/run-context.types.js";
import { contextFromDict, newContext } from "../run/caller/caller-context.js";

// A call that bundlers may drop: only programs that restore snapshots bundle the reader.
export const Context: ContextClass = /* @__PURE__ */ createContextClass();

function createContextClass(): ContextClass {
  function Context(workflow: object): unknown {
    return newContext(workflow);
  }
  Context.fromDict = (workflow: object, dict: unknown, options?: FromDictOptions): unknown =>
    contextFromDict(workflow, dict, options);
  return Context as unknown as ContextClass;
}
export type Context<State = unknown> = StepFace<State>;
