/**
 * What changed between two states, as the fewest patches that a cheap look finds.
 *
 * Shared parts are skipped by identity, so the cost is that of the containers on the way to a change. Applying the
 * patches to the first state gives the second, the order of keys included, also after a trip through JSON.
 *
 * Not immer's own patches: those lose the order of keys, Map keys that are no text, and objects in a Set.
 *
 * @module
 */
import type { StatePatch } from "../engine/tick.js";
import { isPlainObject } from "../value/guard.js";

type Path = StatePatch["path"];

export interface Diff {
  readonly patches: StatePatch[];
  readonly path: Path;
  /** Entries of this container that were set, added or removed. */
  changed: number;
  /** It keeps something that would be long to repeat. */
  heavy: boolean;
}

/** `null`: storing the whole state is shorter. */
export function diffState(before: unknown, after: unknown): readonly StatePatch[] | null {
  const patches: StatePatch[] = [];
  return compare(before, after, { patches, path: [], changed: 0, heavy: false }) === "replaced" ? null : patches;
}

/** The patches for one place that has a value. */
export function diffAt(path: Path, before: unknown, after: unknown): readonly StatePatch[] {
  const patches: StatePatch[] = [];
  compare(before, after, { patches, path, changed: 0, heavy: false });
  return patches;
}

type Outcome = "same" | "replaced" | "inside";

/** Adds the patches of one place. `diff.path` leads there. */
function compare(before: unknown, after: unknown, diff: Diff): Outcome {
  if (Object.is(before, after)) return "same";
  const start = diff.patches.length;
  const size = isObject(before) && isObject(after) ? compareContents(before, after, diff) : null;
  const { changed, heavy } = diff;
  if (size === null || (changed > 1 && (heavy ? changed > size : changed * 2 >= size))) {
    diff.patches.length = start;
    diff.patches.push({ op: "replace", path: diff.path, value: after });
    return "replaced";
  }
  return diff.patches.length === start ? "same" : "inside";
}

/** Number of entries; `null` when patches cannot express the change. */
function compareContents(before: object, after: object, diff: Diff): number | null {
  if (Array.isArray(before)) return Array.isArray(after) ? compareArrays(before, after, diff) : null;
  if (before instanceof Map) return after instanceof Map ? compareMaps(before, after, diff) : null;
  if (before instanceof Set) return after instanceof Set ? compareSets(before, after, diff) : null;
  if (Array.isArray(after) || !isPlainObject(before) || !isPlainObject(after)) return null;
  return compareRecords(before as never, after as never, diff);
}

function compareRecords(before: Record<string, unknown>, after: Record<string, unknown>, diff: Diff): number | null {
  const oldKeys = Object.keys(before);
  const newKeys = Object.keys(after);
  let agree = 0;
  while (agree < oldKeys.length && oldKeys[agree] === newKeys[agree]) agree++;
  const inOld = (key: string): boolean => Object.hasOwn(before, key);
  const inNew = (key: string): boolean => Object.hasOwn(after, key);
  const oldRest = oldKeys.slice(agree);
  // Engines sort index-like keys themselves.
  if (!keepsOrder(oldRest.filter(isOrdered), newKeys.slice(agree).filter(isOrdered), { inOld, inNew })) return null;
  for (const key of oldRest) if (!inNew(key)) addPatch(diff, { op: "remove", key: key });
  for (const [index, key] of newKeys.entries()) {
    if (index < agree || inOld(key)) compareEntry({ before: before[key], after: after[key] }, key, diff);
    else addPatch(diff, { op: "add", key: key, value: after[key] });
  }
  return newKeys.length;
}

function compareMaps(before: Map<unknown, unknown>, after: Map<unknown, unknown>, diff: Diff): number | null {
  const [inOld, inNew] = [(key: unknown) => before.has(key), (key: unknown) => after.has(key)];
  if (!keepsOrder([...before.keys()], [...after.keys()], { inOld, inNew })) return null;
  for (const key of before.keys()) {
    if (inNew(key)) continue;
    if (!isMapStep(key)) return null;
    addPatch(diff, { op: "remove", key: key });
  }
  for (const [key, value] of after) {
    if (inOld(key) && Object.is(before.get(key), value)) diff.heavy ||= isHeavy(value);
    else if (!isMapStep(key)) return null;
    else if (inOld(key)) compareEntry({ before: before.get(key), after: value }, key, diff);
    else addPatch(diff, { op: "add", key: key, value });
  }
  return after.size;
}

/** Items are compared by value, so only primitives: objects have another identity after a trip through JSON. */
function compareSets(before: Set<unknown>, after: Set<unknown>, diff: Diff): number | null {
  const [inOld, inNew] = [(item: unknown) => before.has(item), (item: unknown) => after.has(item)];
  if (!keepsOrder([...before], [...after], { inOld, inNew })) return null;
  for (const item of before) {
    if (inNew(item)) diff.heavy ||= isHeavy(item);
    else if (isObject(item)) return null;
    else addPatch(diff, { op: "remove", key: 0, value: item });
  }
  for (const item of after) if (!inOld(item)) addPatch(diff, { op: "add", key: 0, value: item });
  return after.size;
}

export function compareArrays(before: readonly unknown[], after: readonly unknown[], diff: Diff): number {
  const shorter = Math.min(before.length, after.length);
  const growth = after.length - before.length;
  let from = 0;
  for (; from < shorter && Object.is(before[from], after[from]); from++) diff.heavy ||= isHeavy(after[from]);
  let tail = 0;
  for (; tail < shorter - from && Object.is(before.at(-1 - tail), after.at(-1 - tail)); tail++)
    diff.heavy ||= isHeavy(after.at(-1 - tail));
  const to = shorter - tail;
  for (; from < to; from++) compareEntry({ before: before[from], after: after[from] }, from, diff);
  for (let index = to; index < to - growth; index++) addPatch(diff, { op: "remove", key: to });
  for (let index = to; index < to + growth; index++) addPatch(diff, { op: "add", key: index, value: after[index] });
  return after.length;
}

export function compareEntry(
  { before, after }: { readonly before: unknown; readonly after: unknown },
  key: string | number,
  diff: Diff,
): void {
  if (Object.is(before, after)) {
    diff.heavy ||= isHeavy(after);
    return;
  }
  if (!isObject(before) || !isObject(after)) return addPatch(diff, { op: "replace", key: key, value: after });
  const outcome = compare(before, after, {
    patches: diff.patches,
    path: [...diff.path, key],
    changed: 0,
    heavy: false,
  });
  if (outcome === "replaced") diff.changed++;
  else diff.heavy = true;
}

export function addPatch(diff: Diff, { op, key, value }: NewPatch): void {
  const path = [...diff.path, key];
  diff.changed++;
  // In a Set, the value says which item to remove.
  diff.patches.push(op === "remove" && value === undefined ? { op, path } : { op, path, value });
}

interface NewPatch {
  readonly op: StatePatch["op"];
  readonly key: string | number;
  readonly value?: unknown;
}

/** True when the old keys that stay come first, in their order: that is what removing and adding gives. */
function keepsOrder<Key>(
  before: Key[],
  after: Key[],
  { inOld, inNew }: { readonly inOld: (key: Key) => boolean; readonly inNew: (key: Key) => boolean },
): boolean {
  let position = 0;
  let added = false;
  for (const key of after) {
    if (!inOld(key)) {
      added = true;
      continue;
    }
    while (position < before.length && !inNew(before[position] as Key)) position++;
    if (added || before[position++] !== key) return false;
  }
  return true;
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isOrdered(key: string): boolean {
  return !/^\d+$/.test(key);
}

/** JSON keeps it as it is. */
export function isMapStep(key: unknown): key is string | number {
  return typeof key === "string" || Number.isFinite(key);
}

export function isHeavy(value: unknown): boolean {
  return typeof value === "string" ? value.length > 64 : isObject(value);
}
