/** The value `Context`: creates contexts for new runs, or from snapshots. */
import type { ContextClass, Context as StepFace } from "../authoring/context.types.js";
import type { FromDictOptions } from "../authoring/run-context.types.js";
import { compileWorkflow } from "../compile/compile.js";
import { createRunState } from "../engine/state.js";
import { CallerContext } from "../run/caller/caller-context.js";
import { restoreRun } from "../run/snapshot-run.js";
import { initialStore } from "../run/state-of-run.js";
import { hostOf } from "../run/workflow-host.js";

// A call that bundlers may drop: only programs that restore snapshots bundle the reader.
export const Context: ContextClass = /* @__PURE__ */ createContextClass();

function createContextClass(): ContextClass {
  function Context(workflow: object): unknown {
    const compiled = compileWorkflow(workflow);
    const runId = hostOf(compiled).ports.ids.runId();
    const state = createRunState({ runId, workflow: compiled.name, store: initialStore(compiled) });
    return new CallerContext(compiled, { state, children: null });
  }
  Context.fromDict = (workflow: object, dict: unknown, options?: FromDictOptions): unknown => {
    const compiled = compileWorkflow(workflow);
    return new CallerContext(compiled, restoreRun(compiled, dict, options));
  };
  return Context as unknown as ContextClass;
}
export type Context<State = unknown> = StepFace<State>;
