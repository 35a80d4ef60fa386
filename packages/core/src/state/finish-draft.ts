/**
 * The end of an edit: the next state, and the patches that lead to it, from the recorded writes alone.
 *
 * @module
 */

import { diffState } from "./diff-state.js";
import {
  type Container,
  copyOf,
  type DraftNode,
  isContainer,
  keysOf,
  nodeOf,
  put,
  replaceParts,
  valueAt,
} from "./draft-node.js";
import { freezeState } from "./freeze-state.js";
import { NEW, type Piece } from "./list-pieces.js";
import type { StatePatch } from "./patch.types.js";

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
  if (copy instanceof Set) node.next = finishedSet(node, copy, fresh);
  else if (!fill(node, copy, fresh)) {
    node.next = null;
    node.changed = false;
    return node.base;
  }
  fresh.push(node.next);
  return node.next;
}

/** In the order that it has. */
function finishedSet(node: DraftNode, set: Set<unknown>, fresh: Container[]): Set<unknown> {
  const { kids, touched } = node;
  node.isMixed =
    [...(kids?.values() ?? [])].some((kid) => kid.changed) ||
    [...(touched?.keys() ?? [])].some((item) => typeof item === "object");
  return node.isMixed ? new Set(Array.from(set, (item) => withoutDrafts(kids?.get(item)?.draft ?? item, fresh))) : set;
}

/** Replaces drafts by what they stand for. Returns `false` if nothing has changed. */
function fill(node: DraftNode, next: Container, fresh: Container[]): boolean {
  const { base, isMixed } = node;
  let differs = node.copy !== null && !isMixed;
  for (const key of newPlaces(node, next)) {
    const value = valueAt(next, key);
    const plain = withoutDrafts(value, fresh, isMixed ? 1 : 0);
    if (plain !== value) put(next, key, plain);
  }
  for (const [key, kid] of node.kids ?? []) {
    const part = finished(kid, fresh);
    if (part === kid.base) continue;
    put(next, key, part);
    differs = true;
  }
  return differs || (isMixed && hasMoved(base as unknown[], next as unknown[]));
}

/** Where the edit may have put something. */
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

/** An inserted object of the caller, with drafts in it replaced by their values. */
function withoutDrafts(value: unknown, fresh: Container[], depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  const node = nodeOf(value);
  if (node !== undefined) return finished(node, fresh);
  // In what is frozen, one level is looked at: a list that was frozen with drafts in it. More would be the whole of what is known.
  if (!isContainer(value) || (depth > 0 && Object.isFrozen(value)) || depth > 1000) return value;
  return replaceParts(value, (part) => withoutDrafts(part, fresh, depth + 1), Object.isFrozen(value));
}
