/**
 * A run that has ended is retried or resumed: the failed step runs again, with the outputs, the session state and the answers that the
 * run had then. What it had spent counts.
 *
 * @module
 */
import type { Finished } from "millrace";
import { continuationsOf } from "millrace/engine";
import { executionsOf } from "../data/metrics.js";
import { dropLast, itemAt, replaceAt, sizeOf } from "../data/paged-list.js";
import { fromStored } from "../data/stored-output.js";
import { abandon, frameOf } from "../interpreter/advance.js";
import { storedOutput } from "../output/pipeline-failed.js";
import type { PlaceEvent } from "../plan/pipeline-events.js";
import { lastStart } from "../state/group-output.js";
import type { OwnState, PipelineState, Place, Reopening, Step } from "../state/pipeline-state.types.js";
import { placeKey } from "../state/review.js";
import { move, moverOf, type PipelineCourse } from "./move.js";
import type { CompiledPlan, StepCtx, StepParts } from "./plan.types.js";

/**
 * Returns what runs again, if the run was continued after the end at this place; else `null`. A nested run ends once: its step starts
 * another one.
 */
export function reopening({ reopens = {}, request }: PipelineState, place: Place, ctx: StepCtx): Reopening | null {
  const found = reopens[placeKey(place)];
  return found !== undefined && request.nesting === null && continuationsOf(ctx) > found.continuations ? found : null;
}

interface Reopened extends StepParts, Reopening {
  readonly ev: PlaceEvent;
}

export function reopen(
  plan: CompiledPlan,
  state: PipelineState,
  { ctx, live, ev, step }: Reopened,
): Finished | Promise<never> {
  const place = { frame: ev.frame, at: ev.at };
  return move(moverOf(plan, state, { ctx, live }), { visit: ev.visit }, (course) => {
    delete course.state.reopens?.[placeKey(place)];
    forgetEnd(course.state);
    return step === null ? [] : again(course, { ...step, ...place });
  });
}

/** The events of the end stay, where events are kept. */
function forgetEnd(state: OwnState): void {
  const output = storedOutput(state);
  if (output !== null && output.events.length > 0) state.events = [...output.events];
  delete state.end;
  state.failure = null;
}

function again(course: PipelineCourse, step: Step): Step[] {
  const { state, tree } = course;
  if (step.to === "finish") return [step];
  if (step.to === "gather") {
    // Its branches have come together already: all of them run again.
    const { parent, at } = frameOf(state, step.frame);
    const place = { frame: parent as string, at };
    return [{ to: "enter", node: step.node, ...place }, ...abandon(course, place)];
  }
  if (step.to === "enter") unlist(state, step, tree.parentOf(tree.node(step.node))?.kind === "parallel");
  return [step];
}

/** Removes the output of the failed step from its group. Its usage is counted separately. */
function unlist(state: OwnState, { frame: key, at }: Place, isBranch: boolean): void {
  const frame = frameOf(state, key);
  const index = isBranch ? at : lastStart(frame) + at;
  const listed = itemAt(frame.outputs, index) ?? null;
  if (listed === null) return;
  state.discarded.push(...executionsOf([fromStored(listed)]));
  if (isBranch) replaceAt(frame.outputs, index, null);
  else if (sizeOf(frame.outputs) === index + 1) dropLast(frame.outputs);
}
