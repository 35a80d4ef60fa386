/** What a place of a run works with. */

import { scopeOfRun } from "../interpreter/branch-state.js";
import { ownState, rootState } from "../state/own-state.js";
import type { PipelineState, RunTreeState } from "../state/pipeline-state.types.js";
import type { StepCtx } from "./plan.types.js";

export async function stateOf(ctx: StepCtx): Promise<PipelineState> {
  return viewOf(await readRoot(ctx), ctx.runId);
}

/** With all that is nested in it, and around it. */
export async function readRoot(ctx: StepCtx): Promise<RunTreeState> {
  return rootState(await ctx.store.getState());
}

/** A run as its own places see it, with the session state that it works on. */
export function viewOf(root: RunTreeState, runId: string): PipelineState {
  const own = ownState(root, runId);
  if (own === root) return root;
  const { history, sessionAtStart, counted } = root;
  const session = scopeOfRun(root, runId).read(root) ?? root.session;
  return { ...own, history, session, sessionAtStart, counted };
}
