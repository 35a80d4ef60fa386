/**
 * The end of a step that changes nothing but where the run is: its output, and what comes next. Nearly all steps end so, and their
 * changes are known without a draft of the state, and without a look at what only other steps have.
 *
 * @module
 */
import type { StatePatch } from "millrace/engine";
import { appendingTo, replacingIn } from "../data/paged-list.js";
import { toStored } from "../data/stored-output.js";
import { isEnd } from "../interpreter/advance.js";
import type { RunTreeState } from "../state/pipeline-state.types.js";
import { placeKey } from "../state/review.js";
import type { StraightEnd as FastPath } from "./move.js";
import type { StepTools } from "./visit.types.js";

/** The same as what `done` does in a draft. `null`: there is more to do. @param family With the edits that are on their way. */
export function fastPathPatches(family: RunTreeState, tools: StepTools): FastPath | null {
  const { plan, place, visit, attempt } = tools;
  const { tree } = plan;
  const { output } = attempt;
  const frame = family.frames[place.frame];
  if (output === null || frame === undefined || hasMore(family, tools)) return null;
  const outputs = { path: ["frames", place.frame, "outputs"], list: frame.outputs };
  const owner = frame.node === null ? null : tree.container(frame.node);
  if (owner?.kind === "parallel") {
    const patch = replacingIn(outputs.path, place.at, toStored(output));
    return { change: { patches: [patch] }, moves: [{ to: "gather", node: owner.id, ...place, visit }] };
  }
  const at = place.at + 1;
  const next = tree.childrenOf(frame.node)[frame.queue[at] ?? -1];
  if (isEnd(output) || next === undefined || next.human !== null || !tree.isEntered(next)) return null;
  const visits = family.visits + 1;
  const patches: StatePatch[] = [
    ...appendingTo(outputs, toStored(output)),
    { op: "replace", path: ["visits"], value: visits },
  ];
  return { change: { patches }, moves: [{ to: "enter", node: next.id, frame: place.frame, at, visit: visits }] };
}

/** Whether the end of the step stores more than its output. */
function hasMore(family: RunTreeState, { place, state, context, events, live, ctx, notes }: StepTools): boolean {
  const isOutermost = state.request.nesting === null && family.nested[ctx.runId] === undefined;
  if (!isOutermost || family.inside !== undefined || placeKey(place) in family.talks) return true;
  return events.keeps || context.isChanged || live.hasLeft || !notes.isEmpty;
}
