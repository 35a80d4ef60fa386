import type { PipelineState, Place } from "./pipeline-state.types.js";
import type { PipelineTree } from "./pipeline-tree.js";

/** Of the innermost loop around this place, from 0. Null: it is in none. */
export function iterationAt(
  { frames }: Pick<PipelineState, "frames">,
  tree: PipelineTree,
  place: Place,
): number | null {
  for (let frame = frames[place.frame]; frame !== undefined; frame = frames[frame.parent ?? ""])
    if (frame.node !== null && tree.node(frame.node).kind === "loop") return frame.starts.length - 1;
  return null;
}
