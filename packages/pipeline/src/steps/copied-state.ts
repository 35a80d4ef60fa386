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
  readonly family: RunTreeState;
  patches(): StatePatch[];
}

export function copiedState(family: RunTreeState, place: Place): CopiedState {
  const frames = { ...family.frames };
  for (let { frame: key, at } = place, frame = frames[key]; frame !== undefined; frame = frames[key]) {
    frames[key] = { ...frame, outputs: copyToChange(frame.outputs, at), starts: copyToChange(frame.starts, 0) };
    at = frame.at;
    key = frame.parent ?? "";
  }
  const copy: RunTreeState = { ...family, frames, talks: {}, spent: [...family.spent] };
  return { family: copy, patches: () => [...patchesOf(family, copy)] };
}

type Fields = Readonly<Record<string, unknown>>;

function* patchesOf(family: RunTreeState, copy: RunTreeState): Generator<StatePatch> {
  for (const key in family.frames) if (copy.frames[key] === undefined) yield { op: "remove", path: ["frames", key] };
  for (const [key, frame] of Object.entries(copy.frames)) yield* framePatches(key, family.frames[key], frame);
  for (const [key, value] of Object.entries(copy.talks)) yield { op: "add", path: ["talks", key], value };
  for (let at = family.spent.length; at < copy.spent.length; at++)
    yield { op: "add", path: ["spent", at], value: copy.spent[at] };
  const [before, after] = [family as unknown as Fields, copy as unknown as Fields];
  for (const name in after)
    if (!own.has(name) && after[name] !== before[name])
      yield { op: name in before ? "replace" : "add", path: [name], value: after[name] };
}

/** Those that are copied. */
const own: ReadonlySet<string> = new Set(["frames", "talks", "spent"]);

function framePatches(key: string, before: Frame | undefined, frame: Frame): StatePatch[] {
  if (before === frame) return [];
  if (before === undefined) return [{ op: "add", path: ["frames", key], value: frame }];
  const path = ["frames", key];
  return [
    ...changesOf({ path: [...path, "outputs"], list: before.outputs }, frame.outputs),
    ...changesOf({ path: [...path, "starts"], list: before.starts }, frame.starts),
  ];
}
