/**
 * The end of an edit: the next state, and the patches that lead to it, from the recorded writes alone.
 *
 * Applying the patches to the previous state gives the next one, the order of keys included, also after a trip through JSON.
 *
 * @module
 */
import type { StatePatch } from "../engine/tick.js";
import { addPatch, compareArrays, compareEntry, type Diff, isHeavy, isMapStep, isObject } from "./diff-state.js";
import { type Container, copyOf, type DraftNode, has, isContainer, nodeOf, put, valueAt } from "./draft-node.js";
import { freezeState } from "./freeze-state.js";
import { isNewAt, NEW, type Piece } from "./list-pieces.js";

export interface Finished {
  /** `null`: the whole state is shorter. */
  readonly patches: readonly StatePatch[] | null;
  /** The state after the edit. Unwritten parts are shared with the previous state; `fresh` and new values are not frozen yet. */
  readonly next: unknown;
  /** Containers of `next` that were made for it. `null`: `next` shares less with the previous state than the patches would. */
  readonly fresh: readonly object[] | null;
}

export function finishDraft(draft: object): Finished {
  const root = nodeOf(draft) as DraftNode;
  const fresh: Container[] = [];
  const next = finished(root, fresh);
  const diff: NodeDiff = { patches: [], path: [], changed: 0, heavy: false, exact: { is: true } };
  const outcome = compareNode(root, diff);
  root.edit.open = false;
  if (outcome === "replaced") return { patches: null, next, fresh };
  if (diff.patches.length === 0) return { patches: [], next: root.base, fresh: [] };
  return { patches: diff.patches, next, fresh: diff.exact.is ? fresh : null };
}

/** The frozen result of a draft. Nothing is checked or stored. */
export function finishedState<State extends object>(draft: State): State {
  return freezeState(finishDraft(draft).next) as State;
}

// ---- the state after

function finished(node: DraftNode, fresh: Container[]): Container {
  if (!node.changed) return node.base;
  if (node.next !== null) return node.next;
  const { kids, copy } = node;
  const next = copy ?? copyOf(node.base);
  node.next = next;
  if (next instanceof Set) return finishedSet(node, next, fresh);
  let differs = copy !== null && !node.isMixed;
  if (Array.isArray(next)) resolveItems(node, next, fresh);
  else if (node.touched !== null) for (const key of node.touched.keys()) resolveAt(next, key, fresh);
  for (const [key, kid] of kids ?? []) {
    const part = finished(kid, fresh);
    if (part === kid.base) continue;
    put(next, key, part);
    differs = true;
  }
  if (!differs && !(node.isMixed && hasMoved(node.base as unknown[], next as unknown[]))) {
    node.next = null;
    node.changed = false;
    return node.base;
  }
  fresh.push(next);
  return next;
}

function hasMoved(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.length !== after.length || before.some((item, index) => !Object.is(item, after[index]));
}

/** What the edit has put there. */
function resolveAt(next: Container, key: unknown, fresh: Container[]): void {
  const value = valueAt(next, key);
  if (!isObject(value)) return;
  const plain = withoutDrafts(value, fresh);
  if (plain !== value) put(next, key, plain);
}

function resolveItems({ pieces, isMixed }: DraftNode, next: unknown[], fresh: Container[]): void {
  if (isMixed) {
    for (const [index, item] of next.entries()) if (isObject(item)) next[index] = withoutDrafts(item, fresh, 1);
    return;
  }
  let at = 0;
  for (const { from, count } of pieces ?? []) {
    if (from === NEW) for (let index = at; index < at + count; index++) resolveAt(next, index, fresh);
    at += count;
  }
}

/** In the order that it has. */
function finishedSet(node: DraftNode, set: Set<unknown>, fresh: Container[]): Set<unknown> {
  let next = set;
  if (holdsObjects(node)) {
    next = new Set();
    for (const item of set) {
      const kid = node.kids?.get(item);
      next.add(kid === undefined ? withoutDrafts(item, fresh) : finished(kid, fresh));
    }
  }
  node.next = next;
  fresh.push(next);
  return next;
}

/** Whether an edit has done more to a Set than add and remove what is not an object. */
function holdsObjects({ touched, kids }: DraftNode): boolean {
  for (const item of touched?.keys() ?? []) if (isObject(item)) return true;
  for (const kid of kids?.values() ?? []) if (kid.changed) return true;
  return false;
}

/** An inserted object of the caller, with drafts in it replaced by their values. */
function withoutDrafts(value: unknown, fresh: Container[], depth = 0): unknown {
  if (!isObject(value)) return value;
  const node = nodeOf(value);
  if (node !== undefined) return finished(node, fresh);
  // In what is frozen, one level is looked at: a list that was frozen with drafts in it. More would be the whole of what is known.
  if (!isContainer(value) || (depth > 0 && Object.isFrozen(value)) || depth > 1000) return value;
  return withoutInner(value, fresh, depth + 1);
}

function withoutInner(container: Container, fresh: Container[], depth: number): Container {
  if (container instanceof Set) {
    const items = Array.from(container, (item) => withoutDrafts(item, fresh, depth));
    let index = 0;
    for (const item of container) if (!Object.is(items[index++], item)) return new Set(items);
    return container;
  }
  let own: Container = container;
  const keys = Array.isArray(container) || container instanceof Map ? container.keys() : Object.keys(container);
  for (const key of keys) {
    const part = valueAt(container, key);
    const plain = withoutDrafts(part, fresh, depth);
    if (Object.is(plain, part)) continue;
    if (own === container && Object.isFrozen(container)) own = copyOf(container);
    put(own, key, plain);
  }
  return own;
}

// ---- the patches

interface NodeDiff extends Diff {
  /** `false`: the patches could be shorter, because a part was replaced by a similar one. */
  readonly exact: { is: boolean };
}

function compareNode(node: DraftNode, diff: NodeDiff): "inside" | "replaced" {
  const { base, next } = node;
  if (next === null) return "inside";
  const start = diff.patches.length;
  if (patchContents(node, diff) && !isOutgrown(diff, base, next)) return "inside";
  diff.patches.length = start;
  diff.patches.push({ op: "replace", path: diff.path, value: next });
  return "replaced";
}

/** Whether the container is shorter to say than its changes. What has stayed is looked at only where so much has changed that it matters. */
function isOutgrown({ changed, heavy }: Diff, base: Container, next: Container): boolean {
  const size = sizeOf(next);
  if (changed <= 1 || changed * 2 < size) return false;
  if (changed > size) return true;
  if (heavy) return false;
  const known = new Set<unknown>(partsOf(base));
  for (const part of partsOf(next)) if (isHeavy(part) && known.has(part)) return false;
  return true;
}

function partsOf(container: Container): Iterable<unknown> {
  return container instanceof Map || container instanceof Set ? container.values() : Object.values(container);
}

function sizeOf(container: Container): number {
  if (container instanceof Map || container instanceof Set) return container.size;
  return Array.isArray(container) ? container.length : Object.keys(container).length;
}

/** `false`: patches cannot express the change. */
function patchContents(node: DraftNode, diff: NodeDiff): boolean {
  if (node.base instanceof Set) return !holdsObjects(node) && patchSet(node, diff);
  if (Array.isArray(node.base)) patchList(node, diff);
  else if (!patchKeys(node, diff)) return false;
  return true;
}

function patchKeys({ base, next, touched, kids }: DraftNode, diff: NodeDiff): boolean {
  const after = next as Container;
  const isMap = base instanceof Map;
  for (const [key, wasAway] of touched ?? []) {
    const [isOld, isNew] = [has(base, key), has(after, key)];
    if (!isOld && !isNew) continue;
    if (isMap && !isMapStep(key)) return false;
    if (isOld && isNew && !wasAway)
      patchEntry(diff, key as string, { before: valueAt(base, key), after: valueAt(after, key) });
    else {
      if (isOld) addPatch(diff, { op: "remove", key: key as string });
      if (isNew) addPatch(diff, { op: "add", key: key as string, value: valueAt(after, key) });
    }
  }
  for (const [key, kid] of kids ?? []) {
    if (!kid.changed || touched?.has(key)) continue;
    if (isMap && !isMapStep(key)) return false;
    patchKid(diff, key as string, kid);
  }
  return true;
}

/** Of a Set, the value says which item to remove. */
function patchSet({ base, next, touched }: DraftNode, diff: NodeDiff): true {
  for (const [item, wasAway] of touched ?? []) {
    const [isOld, isNew] = [has(base, item), has(next as Container, item)];
    if (isOld && (!isNew || wasAway)) addPatch(diff, { op: "remove", key: 0, value: item });
    if (isNew && (!isOld || wasAway)) addPatch(diff, { op: "add", key: 0, value: item });
  }
  return true;
}

function patchEntry(diff: NodeDiff, key: string | number, entry: { before: unknown; after: unknown }): void {
  const { before, after } = entry;
  const { length } = diff.patches;
  compareEntry(entry, key, diff);
  if (!isObject(before) || !isObject(after) || before === after) return;
  const [patch] = diff.patches.slice(length);
  diff.exact.is &&= patch !== undefined && patch.value === after;
}

function patchKid(diff: NodeDiff, key: string | number, kid: DraftNode): void {
  const { patches, exact } = diff;
  const length = patches.length;
  const outcome = compareNode(kid, { patches, exact, path: [...diff.path, key], changed: 0, heavy: false });
  if (outcome === "replaced") diff.changed++;
  else if (patches.length > length) diff.heavy = true;
}

function patchList({ base, next, pieces, isMixed, kids }: DraftNode, diff: NodeDiff): void {
  const [before, after] = [base as unknown[], next as unknown[]];
  if (isMixed) {
    diff.exact.is = false;
    return void compareArrays(before, after, diff);
  }
  if (pieces !== null) patchPieces(pieces, { before, after }, diff);
  for (const [index, kid] of (kids ?? []) as Map<number, DraftNode>)
    if (kid.changed && !(pieces !== null && isNewAt(pieces, index))) patchKid(diff, index, kid);
}

/** Each gap in what has stayed was replaced by the new items that are there. */
function patchPieces(
  pieces: readonly Piece[],
  { before, after }: { readonly before: readonly unknown[]; readonly after: readonly unknown[] },
  diff: NodeDiff,
): void {
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
      patchEntry(diff, at + index, { before: before[known + index], after: after[at + index] });
    for (let index = replaced; index < gone; index++) addPatch(diff, { op: "remove", key: at + replaced });
    for (let index = replaced; index < added; index++)
      addPatch(diff, { op: "add", key: at + index, value: after[at + index] });
    at += added + count;
    known = from + count;
    added = 0;
  }
}
