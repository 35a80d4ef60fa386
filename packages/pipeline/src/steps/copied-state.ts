/**
 * A copy of what a move changes that does not look beyond its place: the groups around the place, and the lists that a move adds to.
 * What is different in the end are the patches. Most moves are such, and a draft of the whole state would ask at each read.
 *
 * @module
 */
import type { StatePatch } from "millrace/engine";
import { changesOf, copyToChange } from "../data/paged-list.js";
import type { Frame, Place, RunTreeState } from "../state/pipeline-state.types.js";

export interface CopiedState {
  /** To be changed in place. */
  readonly root: RunTreeState;
  patches(): StatePatch[];
}

export function copiedState(root: RunTreeState, place: Place): CopiedState {
  const frames = { ...root.frames };
  for (let { frame: key, at } = place, frame = frames[key]; frame !== undefined; frame = frames[key]) {
    frames[key] = { ...frame, outputs: copyToChange(frame.outputs, at), starts: copyToChange(frame.starts, 0) };
    at = frame.at;
    key = frame.parent ?? "";
  }
  const copy: RunTreeState = { ...root, frames, reviews: {}, discarded: [...root.discarded] };
  return { root: copy, patches: () => [...patchesOf(root, copy)] };
}

type Fields = Readonly<Record<string, unknown>>;

function* patchesOf(root: RunTreeState, copy: RunTreeState): Generator<StatePatch> {
  for (const key in root.frames) if (copy.frames[key] === undefined) yield { op: "remove", path: ["frames", key] };
  for (const [key, frame] of Object.entries(copy.frames)) yield* framePatches(key, root.frames[key], frame);
  for (const [key, value] of Object.entries(copy.reviews)) yield { op: "add", path: ["reviews", key], value };
  for (let at = root.discarded.length; at < copy.discarded.length; at++)
    yield { op: "add", path: ["discarded", at], value: copy.discarded[at] };
  const [before, after] = [root as unknown as Fields, copy as unknown as Fields];
  for (const name in after)
    if (!own.has(name) && after[name] !== before[name])
      yield { op: name in before ? "replace" : "add", path: [name], value: after[name] };
}

/** Those that are copied. */
const own: ReadonlySet<string> = new Set(["frames", "reviews", "discarded"]);

function framePatches(key: string, before: Frame | undefined, frame: Frame): StatePatch[] {
  if (before === frame) return [];
  if (before === undefined) return [{ op: "add", path: ["frames", key], value: frame }];
  const path = ["frames", key];
  return [
    ...changesOf({ path: [...path, "outputs"], list: before.outputs }, frame.outputs),
    ...changesOf({ path: [...path, "starts"], list: before.starts }, frame.starts),
  ];
}
