/**
 * Finds what changed between two states, in as few patches as a cheap comparison finds, and applies patches to the first state.
 *
 * The recorded changes of an edit in a container are used as they are. Other containers are compared: shared parts are skipped by
 * identity, so the cost is that of the containers on the way to a change. Applying the patches to the first state makes the second,
 * the order of keys included, also after a trip through JSON.
 *
 * Not immer's own patches: those lose the order of keys, Map keys that are no text, and objects in a Set.
 *
 * @module
 */

import { invariant } from "../errors/workflow-error.js";
import { freezeContainer, freezeState } from "../value/freeze.js";
import { isForbiddenKey, isObject, isPlainObject } from "../value/kind.js";
import {
  type Container,
  copyOf,
  type DraftNode,
  has,
  isNewAt,
  keysOf,
  NEW,
  type Piece,
  valueAt,
} from "./draft-node.js";

/** A change of a state: as patches, or whole. */
export type StateChange = PatchedState | ReplacedState;

export interface PatchedState {
  readonly patches: readonly StatePatch[];
  /** The state after the edit, when it is known. Never stored: the patches produce it. */
  readonly next?: unknown;
}

export interface ReplacedState {
  readonly whole: true;
  readonly next: unknown;
}

export interface StatePatch {
  readonly op: "add" | "remove" | "replace";
  readonly path: readonly (string | number)[];
  readonly value?: unknown;
}

type Path = StatePatch["path"];

export interface StateDiff {
  /** `null` if storing the whole state is shorter. */
  readonly patches: readonly StatePatch[] | null;
  /** `false` if the second state shares less with the first one than the patches would, as a part was replaced by a similar one. */
  readonly isExact: boolean;
}

export function diffState(before: unknown, after: unknown, node: DraftNode | null = null): StateDiff {
  const whole: Whole = { patches: [], isExact: true };
  const outcome = compare({ before, after, node }, { whole, path: [], changed: 0 });
  return { patches: outcome === "replaced" ? null : whole.patches, isExact: whole.isExact };
}

/** The patches for one place that has a value. */
export function diffAt(path: Path, before: unknown, after: unknown): readonly StatePatch[] {
  const whole: Whole = { patches: [], isExact: true };
  compare({ before, after, node: null }, { whole, path, changed: 0 });
  return whole.patches;
}

interface Whole {
  readonly patches: StatePatch[];
  isExact: boolean;
}

/** One container. */
interface Diff {
  readonly whole: Whole;
  readonly path: Path;
  /** Entries that were set, added or removed. */
  changed: number;
}

interface Pair<Part = unknown> {
  readonly before: Part;
  readonly after: Part;
  /** How an edit has made one of the other; `null` where that is not known. */
  readonly node: DraftNode | null;
}

type Outcome = "same" | "replaced" | "inside";

/** Adds the patches of one place. `diff.path` leads there. */
function compare(pair: Pair, diff: Diff): Outcome {
  const { before, after, node } = pair;
  if (Object.is(before, after)) return "same";
  const { patches } = diff.whole;
  const start = patches.length;
  const isRecorded = node !== null && !node.isMixed;
  const isInside = (isRecorded || isOneKind(pair)) && writeContents(pair as Pair<Container>, diff);
  if (!isInside || isOutgrown(pair as Pair<Container>, diff)) {
    patches.length = start;
    patches.push({ op: "replace", path: diff.path, value: after });
    return "replaced";
  }
  if (!isRecorded) diff.whole.isExact = false;
  return patches.length === start ? "same" : "inside";
}

function isOneKind({ before, after }: Pair): boolean {
  if (!isObject(before) || !isObject(after)) return false;
  if (Array.isArray(before)) return Array.isArray(after);
  if (before instanceof Map) return after instanceof Map;
  if (before instanceof Set) return after instanceof Set;
  return isPlainObject(before) && isPlainObject(after) && !Array.isArray(after);
}

/**
 * Returns whether the container is shorter than its changes. Unchanged parts are measured only if so much has changed that it
 * matters.
 */
function isOutgrown({ before, after }: Pair<Container>, { changed }: Diff): boolean {
  if (changed < 2) return false;
  const size = sizeOf(after);
  if (changed * 2 < size || changed > size) return changed > size;
  const known = new Set(partsOf(before));
  for (const part of partsOf(after)) if (isHeavy(part) && known.has(part)) return false;
  return true;
}

function sizeOf(container: Container): number {
  if (container instanceof Map || container instanceof Set) return container.size;
  return Array.isArray(container) ? container.length : Object.keys(container).length;
}

function partsOf(container: Container): Iterable<unknown> {
  return container instanceof Map || container instanceof Set ? container.values() : Object.values(container);
}

/** Returns whether it is too long to repeat. */
function isHeavy(value: unknown): boolean {
  return typeof value === "string" ? value.length > 64 : isObject(value);
}

/** Records the changes in a container. Returns `false` if patches cannot express them. */
function writeContents(pair: Pair<Container>, diff: Diff): boolean {
  const { before, node } = pair;
  const { pieces, touched, kids } = node === null || node.isMixed ? changesBetween(pair) : node;
  if (pieces !== null) writePieces(pair as Pair<unknown[]>, pieces, diff);
  if (touched !== null && !writeKeys(pair, touched, diff)) return false;
  for (const [key, kid] of kids ?? []) {
    if (!kid.changed || (pieces === null ? touched?.has(key) : isNewAt(pieces, key as number))) continue;
    if (before instanceof Map && !isMapStep(key)) return false;
    writeEntry(key as string | number, { before: kid.base, after: kid.next, node: kid }, diff);
  }
  return true;
}

/** Returns the changes that an edit would have recorded. */
function changesBetween({ before, after }: Pair<Container>): Pick<DraftNode, "pieces" | "touched" | "kids"> {
  if (Array.isArray(before)) return { pieces: piecesBetween(before, after as unknown[]), touched: null, kids: null };
  return { pieces: null, touched: touchedBetween(before, after), kids: null };
}

// ---- records, Map and Set

/** Keys that differ. Keys that are out of order were removed and added again. */
function touchedBetween(before: Container, after: Container): Map<unknown, boolean> {
  const touched = new Map<unknown, boolean>();
  const stayed: unknown[] = [];
  for (const key of keysOf(before)) {
    if (!has(after, key)) touched.set(key, false);
    else if (!isSorted(before, key)) stayed.push(key);
  }
  let position = 0;
  for (const key of keysOf(after)) {
    const isOld = has(before, key);
    const isInOrder = isSorted(after, key) || (isOld && key === stayed[position]);
    if (!isInOrder) position = Number.NaN;
    else if (!isSorted(after, key)) position++;
    if (!isInOrder || !isOld || !Object.is(valueAt(before, key), valueAt(after, key))) touched.set(key, !isInOrder);
  }
  return touched;
}

/** Engines sort index-like keys of records themselves. */
function isSorted(container: Container, key: unknown): boolean {
  return !(container instanceof Map || container instanceof Set) && /^\d+$/.test(key as string);
}

/** @param touched `true` for keys that were removed in between. */
function writeKeys({ before, after }: Pair<Container>, touched: ReadonlyMap<unknown, boolean>, diff: Diff): boolean {
  const isSet = before instanceof Set;
  for (const [key, wasAway] of touched) {
    const [isOld, isNew] = [has(before, key), has(after, key)];
    // Items of a Set are identified by value, so only primitives can be removed: objects lose their identity in JSON.
    if (isSet ? isOld && isObject(key) : before instanceof Map && (isOld || isNew) && !isMapStep(key)) return false;
    const value = isSet ? key : valueAt(after, key);
    const step = isSet ? 0 : (key as string | number);
    if (isOld && isNew && !wasAway) writeEntry(step, { before: valueAt(before, key), after: value, node: null }, diff);
    else {
      if (isOld) add(diff, { op: "remove", key: step, value: isSet ? key : undefined });
      if (isNew) add(diff, { op: "add", key: step, value });
    }
  }
  return true;
}

/** Returns whether JSON keeps the key unchanged. */
function isMapStep(key: unknown): boolean {
  return typeof key === "string" || Number.isFinite(key);
}

function writeEntry(step: string | number, pair: Pair, diff: Diff): void {
  if (Object.is(pair.before, pair.after)) return;
  if (!isObject(pair.before) || !isObject(pair.after))
    return add(diff, { op: "replace", key: step, value: pair.after });
  const inner = { whole: diff.whole, path: [...diff.path, step], changed: 0 };
  if (compare(pair, inner) === "replaced") diff.changed++;
}

function add(diff: Diff, { op, key, value }: NewPatch): void {
  const path = [...diff.path, key];
  diff.changed++;
  // The value identifies the removed item of a Set.
  diff.whole.patches.push(op === "remove" && value === undefined ? { op, path } : { op, path, value });
}

interface NewPatch extends Omit<StatePatch, "path"> {
  readonly key: string | number;
}

// ---- lists

/** Treats the common prefix and suffix of both lists as unchanged. */
function piecesBetween(before: readonly unknown[], after: readonly unknown[]): Piece[] {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && Object.is(before[from], after[from])) from++;
  let tail = 0;
  while (tail < shorter - from && Object.is(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  return [
    { from: 0, count: from },
    { from: NEW, count: after.length - from - tail },
    { from: before.length - tail, count: tail },
  ];
}

/** Each gap in what has stayed was replaced by the new items that are there. */
function writePieces({ before, after }: Pair<unknown[]>, pieces: readonly Piece[], diff: Diff): void {
  let at = 0;
  let known = 0;
  let added = 0;
  for (const { from, count } of [...pieces, { from: before.length, count: 0 }]) {
    if (from === NEW) {
      added = count;
      continue;
    }
    const gone = from - known;
    const replaced = Math.min(gone, added);
    for (let index = 0; index < replaced; index++)
      writeEntry(at + index, { before: before[known + index], after: after[at + index], node: null }, diff);
    for (let index = replaced; index < gone; index++) add(diff, { op: "remove", key: at + replaced });
    for (let index = replaced; index < added; index++)
      add(diff, { op: "add", key: at + index, value: after[at + index] });
    at += added + count;
    known = from + count;
    added = 0;
  }
}

// ---- patches applied

/** The state after a change, deeply frozen. Parts that did not change are shared. */
export function applyChange(state: unknown, change: StateChange): unknown {
  if ("whole" in change) return freezeState(change.next);
  return "next" in change ? change.next : applyPatches(state, change.patches);
}

/** Works like {@link applyChange}, from the patches alone. */
export function applyPatches(state: unknown, patches: readonly StatePatch[]): unknown {
  const fresh = new Set<object>();
  let root = state;
  for (const patch of patches) {
    let parent = own(root, fresh);
    root = parent;
    for (const step of patch.path.slice(0, -1)) {
      const child = own(parent instanceof Map ? parent.get(step) : (parent as Record<string, unknown>)[step], fresh);
      put(parent, step, child);
      parent = child;
    }
    apply(parent, patch);
  }
  for (const container of fresh) freezeContainer(container);
  return root;
}

/** A copy to write into: one per container, however many patches lead through it. */
function own(container: unknown, fresh: Set<object>): object {
  invariant(isObject(container), "a patch leads through a value without fields");
  if (fresh.has(container)) return container;
  const copy = copyOf(container as Container);
  fresh.add(copy);
  return copy;
}

function put(parent: unknown, step: string | number, value: unknown): void {
  if (parent instanceof Map) parent.set(step, value);
  else {
    invariant(!isForbiddenKey(String(step)), `a patch leads to "${step}"`);
    (parent as Record<string, unknown>)[step] = value;
  }
}

function apply(parent: object, { op, path, value }: StatePatch): void {
  const step = path.at(-1) as string | number;
  freezeState(value);
  if (parent instanceof Set) op === "remove" ? parent.delete(value) : parent.add(value);
  else if (Array.isArray(parent) && op !== "replace")
    op === "add" ? parent.splice(step as number, 0, value) : parent.splice(step as number, 1);
  else if (op !== "remove") put(parent, step, value);
  else if (parent instanceof Map) parent.delete(step);
  else delete (parent as Record<string, unknown>)[step];
}
