/** What a place of a run works with. */

import { scopeOfRun } from "../interpreter/branch-state.js";
import { ownState, rootState } from "../state/own-state.js";
import type { PipelineState, RunTreeState } from "../state/pipeline-state.types.js";
import type { StepCtx } from "./plan.types.js";

export async function stateOf(ctx: StepCtx): Promise<PipelineState> {
  return viewOf(await familyOf(ctx), ctx.runId);
}

/** With all that is nested in it, and around it. */
export async function familyOf(ctx: StepCtx): Promise<RunTreeState> {
  return rootState(await ctx.store.getState());
}

/** A run as its own places see it, with the session state that it works on. */
export function viewOf(family: RunTreeState, runId: string): PipelineState {
  const own = ownState(family, runId);
  if (own === family) return family;
  const { history, sessionAtStart, counted } = family;
  const session = scopeOfRun(family, runId).read(family) ?? family.session;
  return { ...own, history, session, sessionAtStart, counted };
}
