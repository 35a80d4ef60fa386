/**
 * Stored runs whose state has `moved`: their core steps stored what they changed before they ended. One that was cut off in
 * between has moved on in the state already, and runs again.
 *
 * @module
 */
import { itemAt } from "../data/paged-list.js";
import type { PipelineNode } from "../nodes/node.types.js";
import type { PipelineTree } from "../plan/pipeline-tree.js";
import type { Move, PipelineState, Place } from "../state/pipeline-state.types.js";

type State = Pick<PipelineState, "frames" | "moved">;

/** Where the run went on from a visit. `null`: nowhere, as in every run that begins today. */
export function storedMoves(
  tree: PipelineTree,
  state: State,
  { visit, node, ...place }: Place & { readonly visit: number; readonly node: PipelineNode | null },
): readonly Move[] | null {
  if (state.moved === undefined) return null;
  const stored = state.moved[visit];
  if (stored || node === null) return stored ?? null;
  const gather = gatherAt(tree, state, place);
  if (gather === null) return null;
  // A group around the node may have been given up, and that was the end of the branch: the node has gone nowhere then.
  const isFromHere = tree.exits(node).some((exit) => exit.to === "gather" && exit.node === gather.node);
  return isFromHere ? [{ ...gather, visit }] : null;
}

/** That a branch of a Parallel is done was in its frame alone. */
function gatherAt(tree: PipelineTree, state: State, place: Place): Omit<Move, "visit"> | null {
  const { frame: key, at } = livingPlace(state, place);
  const frame = state.frames[key];
  if (frame === undefined || frame.node === null || tree.node(frame.node).kind !== "parallel") return null;
  return (itemAt(frame.outputs, at) ?? null) === null ? null : { to: "gather", node: frame.node, frame: key, at };
}

/** The place, or that of the innermost group around it that is still under way: groups that are done have no frame. */
function livingPlace(state: State, place: Place): Place {
  let { frame, at } = place;
  while (state.frames[frame] === undefined && frame.includes("/")) {
    const end = frame.lastIndexOf("/");
    at = Number.parseInt(frame.slice(end + 1), 10);
    frame = frame.slice(0, end);
  }
  return { frame, at };
}
