/**
 * The end of an edit: the next state, and the patches that lead to it, from the recorded writes alone.
 *
 * @module
 */

import { isOwn, ownCopy } from "../value/copy.js";
import { freezeState } from "../value/freeze.js";
import { isObject } from "../value/kind.js";
import { isKnown } from "../value/limits.js";
import {
  type Container,
  copyOf,
  type DraftNode,
  isContainer,
  keysOf,
  latest,
  NEW,
  nodeOf,
  type Piece,
  put,
  replaceParts,
  valueAt,
} from "./draft-node.js";
import { diffState, type StatePatch } from "./patches.js";

export interface Finished {
  /** `null` if the whole state is shorter. */
  readonly patches: readonly StatePatch[] | null;
  /** The state after the edit. Unwritten parts are shared with the previous state; `fresh` and new values are not frozen yet. */
  readonly next: unknown;
  /** Containers of `next` that were made for it. `null` if `next` shares less with the previous state than the patches would. */
  readonly fresh: readonly object[] | null;
}

export function finishDraft(draft: object): Finished {
  const root = nodeOf(draft) as DraftNode;
  const fresh: Container[] = [];
  const next = finished(root, fresh);
  const { patches, isExact } = diffState(root.base, next, root);
  root.edit.open = false;
  if (patches?.length === 0) return { patches, next: root.base, fresh: [] };
  return { patches, next, fresh: isExact ? fresh : null };
}

/** The frozen result of a draft. Nothing is checked or stored. */
export function finishedState<State extends object>(draft: State): State {
  return freezeState(finishDraft(draft).next) as State;
}

function finished(node: DraftNode, fresh: Container[]): Container {
  if (!node.changed) return node.base;
  if (node.next !== null) return node.next;
  const copy = node.copy ?? copyOf(node.base);
  node.next = copy;
  // A draft of another edit, which may still write into it, is copied as it is now.
  const plain = (draft: DraftNode): unknown =>
    draft.edit !== node.edit && draft.edit.open ? plainNow(draft) : finished(draft, fresh);
  if (copy instanceof Set) node.next = filledSet(node, copy, { plain, how: "inPlace" });
  else if (!fill(node, copy, { plain, how: "inPlace" })) {
    node.next = null;
    node.changed = false;
    return node.base;
  }
  fresh.push(node.next);
  return node.next;
}

/** How drafts inside values are replaced, values of the caller included. */
interface Filling {
  readonly plain: (draft: DraftNode) => unknown;
  /** Whether drafts are replaced in a value itself, in a copy that is made if there are any, or in a copy. What is frozen stays. */
  readonly how: "inPlace" | "kept" | "copied";
}

/** Returns the Set with drafts replaced, in its present order. */
function filledSet(node: DraftNode, set: Set<unknown>, filling: Filling): Set<unknown> {
  const { kids, touched } = node;
  node.isMixed =
    [...(kids?.values() ?? [])].some((kid) => kid.changed) ||
    [...(touched?.keys() ?? [])].some((item) => typeof item === "object");
  return node.isMixed
    ? new Set(Array.from(set, (item) => withoutDrafts(kids?.get(item)?.draft ?? item, filling)))
    : set;
}

/** Replaces drafts by their values. Returns `false` if nothing has changed. */
function fill(node: DraftNode, next: Container, filling: Filling): boolean {
  const { base, isMixed } = node;
  const before = isMixed ? new Set(base as unknown[]) : null; // there are no drafts in them
  let differs = node.copy !== null && !isMixed;
  for (const key of newPlaces(node, next)) {
    const value = valueAt(next, key);
    if (before?.has(value)) continue;
    const plain = withoutDrafts(value, filling);
    if (plain !== value) put(next, key, plain);
  }
  for (const [key, kid] of node.kids ?? []) {
    const part = filling.plain(kid);
    if (part === kid.base) continue;
    put(next, key, part);
    differs = true;
  }
  return differs || (isMixed && hasMoved(base as unknown[], next as unknown[]));
}

/** Returns the places where the edit may have put something. */
function newPlaces({ touched, pieces, isMixed }: DraftNode, next: Container): Iterable<unknown> {
  if (isMixed) return keysOf(next);
  if (pieces !== null) return newIndexes(pieces);
  return touched?.keys() ?? [];
}

function newIndexes(pieces: readonly Piece[]): number[] {
  const indexes: number[] = [];
  let at = 0;
  for (const { from, count } of pieces) {
    if (from === NEW) for (let index = at; index < at + count; index++) indexes.push(index);
    at += count;
  }
  return indexes;
}

function hasMoved(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.length !== after.length || before.some((item, index) => !Object.is(item, after[index]));
}

// ---- out of the edit

/** The present value of a draft as plain data that outlives the edit. Other values stay as they are. */
export function plainOf<Value>(value: Value): Value {
  const node = nodeOf(value);
  return node === undefined ? value : (plainNow(node) as Value);
}

function plainNow(node: DraftNode): unknown {
  const now = latest(node);
  if (!node.changed) return now;
  const copy = copyOf(now);
  if (copy instanceof Set) return filledSet(node, copy, copying);
  fill(node, copy, copying);
  return copy;
}

const copying: Filling = { plain: plainNow, how: "copied" };
/** Replaces drafts in the return value of a callback, because drafts end with the edit. */
const keeping: Filling = { plain: plainNow, how: "kept" };

/** Depth at which the walk stops: the next check refuses deeper values, cycles included. */
const DEEPEST = 1_000;

/** A value of the caller, with plain copies in the place of drafts, of Proxies and of values of another realm. */
export function withoutDrafts(value: unknown, { plain, how }: Filling = keeping): unknown {
  if (typeof value !== "object") return value; // most are
  const seen = new Map<unknown, unknown>();
  let depth = 0;
  let copies = how === "copied";
  const replace = (part: unknown): unknown => {
    if (!isObject(part)) return part;
    const node = nodeOf(part);
    if (node !== undefined) return plain(node);
    if (isKnown(part) || depth > DEEPEST) return part;
    if (seen.has(part)) return seen.get(part);
    const own = isOwn(part) ? part : ownCopy(part);
    if (!isContainer(own)) return own;
    const isFrozen = Object.isFrozen(own);
    const around = copies;
    copies ||= own !== part; // what a Proxy holds stays as it is, too
    const begun = own === part && copies && !isFrozen ? copyOf(own) : own;
    seen.set(part, begun);
    depth++;
    const made = replaceParts(begun, replace, isFrozen || (how === "kept" && !copies));
    depth--;
    copies = around;
    seen.set(part, made);
    return made;
  };
  return replace(value);
}
