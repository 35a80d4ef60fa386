/**
 * The end of a step with another one behind it, or beside it: its output, and what comes next. Nearly all steps end so, and their
 * changes are known without a copy of the state.
 *
 * @module
 */
import type { StatePatch } from "millrace/engine";
import { appendingTo, replacingIn } from "../data/paged-list.js";
import type { StepOutput } from "../data/step-output.types.js";
import { toStored } from "../data/stored-output.js";
import { isEnd } from "../interpreter/advance.js";
import type { RunTreeState } from "../state/pipeline-state.types.js";
import type { KnownEnd as FastPath } from "./move.js";
import type { StepTools } from "./visit.types.js";

/** The same as what `completeNode` does. `null`: there is more to do. @param root With the edits that are on their way. */
export function fastPathPatches(root: RunTreeState, tools: StepTools, output: StepOutput): FastPath | null {
  const { plan, place, visit } = tools;
  const { tree } = plan;
  const frame = root.frames[place.frame];
  if (frame === undefined) return null;
  const outputs = { path: ["frames", place.frame, "outputs"], list: frame.outputs };
  const owner = frame.node === null ? null : tree.container(frame.node);
  if (owner?.kind === "parallel") {
    const patch = replacingIn(outputs.path, place.at, toStored(output));
    return { change: { patches: [patch] }, moves: [{ to: "gather", node: owner.id, ...place, visit }] };
  }
  const at = place.at + 1;
  const next = tree.childrenOf(frame.node)[frame.queue[at] ?? -1];
  if (isEnd(output) || next === undefined || next.human !== null || !tree.isEntered(next)) return null;
  const visits = root.visits + 1;
  const patches: StatePatch[] = [
    ...appendingTo(outputs, toStored(output)),
    { op: "replace", path: ["visits"], value: visits },
  ];
  return { change: { patches }, moves: [{ to: "enter", node: next.id, frame: place.frame, at, visit: visits }] };
}
