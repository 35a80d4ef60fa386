/** Changes of a session state as data. */
import {
  type Container,
  copyJson,
  fieldOf,
  isContainer,
  isObject,
  type JsonObject,
  type Key,
  type Path,
  sameJson,
} from "./json.js";

/** Keys of lists are numbers. Missing parents of a path are created, so that no change is lost. */
export type SessionPatch =
  | { readonly op: "set"; readonly path: Path; readonly value: unknown }
  | { readonly op: "delete"; readonly path: Path }
  /** A change of the list at the path. */
  | {
      readonly op: "splice";
      readonly path: Path;
      readonly at: number;
      readonly remove: number;
      readonly items: readonly unknown[];
    };

/** Applies the patches to the state in place. The state may be a draft. */
export function applyTo(state: JsonObject, patches: readonly SessionPatch[]): void {
  for (const patch of patches) applyOne(state, patch, { own: (container) => container, take: copyJson });
}

/** Returns the state after the patches. The given state does not change, and shares its unchanged parts. */
export function applied(state: JsonObject, patches: readonly SessionPatch[]): JsonObject {
  const fresh = new Set<Container>();
  const own = (container: Container): Container => {
    if (fresh.has(container)) return container;
    const copy = Array.isArray(container) ? [...container] : { ...container };
    fresh.add(copy);
    return copy;
  };
  let next = state;
  for (const patch of patches) next = applyOne(next, patch, { own, take: (value) => value });
  return next;
}

interface Manner {
  /** Returns the container for writing. */
  own(container: Container): Container;
  /** Converts a value before it is written. */
  take(value: unknown): unknown;
}

function applyOne(state: JsonObject, patch: SessionPatch, { own, take }: Manner): JsonObject {
  const root = own(state) as JsonObject;
  let parent: Container = root;
  const { path } = patch;
  // The path leads to the container of its last key, or to the list itself.
  const depth = patch.op === "splice" ? path.length : path.length - 1;
  for (let index = 0; index < depth; index++) {
    const key = placeIn(parent, path[index] as Key);
    const next = index + 1 < path.length ? path[index + 1] : 0;
    const found = fieldOf(parent, key);
    const fits = isContainer(found) && Array.isArray(found) === (typeof next === "number");
    const child = fits ? own(found) : own(typeof next === "number" ? [] : {});
    if (child !== found) put(parent, key, child);
    parent = fieldOf(parent, key) as Container; // read again, because a draft has replaced the new container
  }
  if (patch.op === "splice") (parent as unknown[]).splice(patch.at, patch.remove, ...patch.items.map(take));
  else if (patch.op === "set") put(parent, placeIn(parent, path.at(-1) as Key), take(patch.value));
  else if (Array.isArray(parent)) parent.splice(path.at(-1) as number, 1);
  else delete parent[path.at(-1) as string];
  return root;
}

/** Limits an index to the end of the list, because a list has no gaps. */
function placeIn(container: Container, key: Key): Key {
  return Array.isArray(container) ? Math.min(Number(key), container.length) : key;
}

function put(container: Container, key: Key, value: unknown): void {
  (container as JsonObject)[key] = value;
}

interface DiffOptions {
  /** `"whole"` replaces a list that differs; `"items"` changes the items that differ. */
  readonly lists: "whole" | "items";
  readonly path?: Path;
}

export function diff(before: unknown, after: unknown, { lists, path = [] }: DiffOptions): SessionPatch[] {
  if (before === after) return [];
  if (isObject(before) && isObject(after)) return diffObjects(before, after, { lists, path });
  if (lists === "items" && Array.isArray(before) && Array.isArray(after)) return diffLists(before, after, path);
  return sameJson(before, after) ? [] : [{ op: "set", path, value: after }];
}

function diffObjects(before: JsonObject, after: JsonObject, { lists, path = [] }: DiffOptions): SessionPatch[] {
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const patches: SessionPatch[] = gone.map((key) => ({ op: "delete", path: [...path, key] }));
  for (const key of Object.keys(after)) {
    const inside = [...path, key];
    if (Object.hasOwn(before, key)) patches.push(...diff(before[key], after[key], { lists, path: inside }));
    else patches.push({ op: "set", path: inside, value: after[key] });
  }
  return patches;
}

function diffLists(before: readonly unknown[], after: readonly unknown[], path: Path): SessionPatch[] {
  if (before.length === after.length)
    return after.flatMap((item, index) => diff(before[index], item, { lists: "items", path: [...path, index] }));
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && sameJson(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && sameJson(before.at(-1 - end), after.at(-1 - end))) end++;
  const items = after.slice(start, after.length - end);
  return [{ op: "splice", path, at: start, remove: before.length - start - end, items }];
}
