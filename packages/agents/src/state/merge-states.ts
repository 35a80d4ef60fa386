/**
 * Brings together two changes of one session: `theirs` was saved while the run that made `mine` was going on.
 *
 * What only one side changed is kept. Where both put different things into one place, mine stays: it is saved later.
 * What both did alike is done once. Lists are merged by where they differ, so that the items that either side added are
 * there.
 *
 * @module
 */
import type { SessionState } from "../run-context.types.js";
import { equalPlain } from "./equal-plain.js";
import { assign, isObject } from "./live-state.js";

interface Sides<Value> {
  readonly base: Value;
  readonly mine: Value;
  readonly theirs: Value;
}

export function mergeStates(sides: Sides<SessionState>): SessionState {
  return mergeObjects(sides);
}

function mergeValues({ base, mine, theirs }: Sides<unknown>): unknown {
  if (equalPlain(mine, base)) return theirs;
  if (equalPlain(theirs, base) || equalPlain(mine, theirs)) return mine;
  if (isObject(mine) && isObject(theirs)) return mergeObjects({ base: isObject(base) ? base : {}, mine, theirs });
  if (Array.isArray(mine) && Array.isArray(theirs)) {
    return mergeLists({ base: Array.isArray(base) ? base : [], mine, theirs });
  }
  // Deleted here, changed there: the change is kept.
  return mine === undefined ? theirs : mine;
}

function mergeObjects({ base, mine, theirs }: Sides<Record<string, unknown>>): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const value = mergeValues({ base: own(base, key), mine: own(mine, key), theirs: own(theirs, key) });
    if (value !== undefined) assign(merged, key, value);
  }
  return merged;
}

function own(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

type List = readonly unknown[];

function mergeLists(sides: Sides<List>): List {
  const { base, mine, theirs } = sides;
  const [myEdit, theirEdit] = [editOf(base, mine), editOf(base, theirs)];
  if (theirEdit.end <= myEdit.start) return applyEdits(base, [theirEdit, myEdit]);
  if (myEdit.end <= theirEdit.start) return applyEdits(base, [myEdit, theirEdit]);
  if (base.length === mine.length && base.length === theirs.length) {
    return base.map((item, index) => mergeValues({ base: item, mine: mine[index], theirs: theirs[index] }));
  }
  return mergeItems(sides);
}

/** From `start` to before `end` of the base, the list has `items` instead. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly items: List;
}

function editOf(base: List, list: List): Edit {
  const shorter = Math.min(base.length, list.length);
  let start = 0;
  while (start < shorter && equalPlain(base[start], list[start])) start++;
  let same = 0;
  while (same < shorter - start && equalPlain(base[base.length - 1 - same], list[list.length - 1 - same])) same++;
  return { start, end: base.length - same, items: list.slice(start, list.length - same) };
}

function applyEdits(base: List, [first, second]: readonly [Edit, Edit]): List {
  return [
    ...base.slice(0, first.start),
    ...first.items,
    ...base.slice(first.end, second.start),
    ...second.items,
    ...base.slice(second.end),
  ];
}

/** Both changed the same stretch: their list, without what I removed, then what I added. */
function mergeItems({ base, mine, theirs }: Sides<List>): List {
  const removed = without(base, mine);
  const added = without(mine, base);
  return [...without(theirs, removed), ...added];
}

/** `list` less one item for each equal one of `others`. */
function without(list: List, others: List): List {
  const left = [...others];
  return list.filter((item) => {
    const index = left.findIndex((other) => equalPlain(item, other));
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}
