/** Somebody stops the run: it ends as any other does, with what was done, and with its session in the same commit. */
import type { StopEvent } from "millrace";
import { unbegunState } from "../run/unbegun-state.js";
import type { PipelineCancelEvent } from "./cancel-event.js";
import { stop } from "./end-steps.js";
import { endedState } from "./ended-state.js";
import type { LiveRun } from "./live-run.js";
import type { PipelineState } from "./pipeline-state.types.js";
import type { CompiledPlan, StepCtx } from "./plan.types.js";
import { stateOf } from "./run-state.js";

export async function cancelRun(
  plan: CompiledPlan,
  { reason = null, run = { labels: {}, createdAtMs: Date.now() } }: PipelineCancelEvent,
  { ctx, live }: { readonly ctx: StepCtx; readonly live: LiveRun },
): Promise<StopEvent> {
  const found = (await stateOf(ctx)) as Partial<PipelineState>;
  const hasBegun = found.visits !== undefined;
  const state = hasBegun ? await endedState({ ctx, live }) : unbegunState(run);
  const output = await plan.hooks.finish(ctx, state, hasBegun ? "cancelled" : "unbegun");
  return stop(plan, { state, output, reason }, ctx);
}
