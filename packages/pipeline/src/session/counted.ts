/**
 * Numbers of a session state that a run has only counted: every change of them was made inside of `editState`, by an edit that had
 * read them before. So how much they have changed is what the run has to say of them, and not what they are.
 *
 * The paths are stored in the edit that stores the change, so no crash and no further attempt can lose or double one.
 *
 * @module
 */
import { isContainer, type JsonObject, type Path } from "./json.js";
import { applyTo, type SessionPatch } from "./patches.js";

/** By the path, as text. */
export type CountedPaths = Readonly<Record<string, true>>;

/** The session in the state of a run. */
export interface StoredSession {
  session: JsonObject;
  readonly sessionAtStart: Readonly<JsonObject>;
  counted: Record<string, true>;
}

/** What an edit has looked at before it has changed anything. */
export interface EditReads {
  /** The state that it was given. */
  readonly before: Readonly<JsonObject>;
  /** Paths of numbers, and of fields that were not there. */
  readonly paths: ReadonlySet<string>;
}

/**
 * Makes changes in the stored session, and keeps account of what was counted.
 *
 * @param reads Of an edit. Without it they were made in place, and count nothing.
 */
export function keepChanges(stored: StoredSession, patches: readonly SessionPatch[], reads?: EditReads): void {
  if (patches.length === 0) return;
  const known = new Set([...Object.keys(stored.counted), ...(reads?.paths ?? [])]);
  const before = new Map([...known].map((key) => [key, valueAt(stored.session, key)]));
  applyTo(stored.session, patches);
  for (const key of known) {
    const after = valueAt(stored.session, key);
    if (Object.is(after, before.get(key))) continue;
    const isCount = typeof after === "number" && reads !== undefined && isReadAsStored(key, before.get(key), reads);
    if (!isCount) delete stored.counted[key];
    // Else it was set before, as by what the run was given: what it is now is no amount over what the session had.
    else if (Object.is(before.get(key), valueAt(stored.sessionAtStart, key))) stored.counted[key] = true;
  }
}

/** Not: an attempt that has not ended has changed it in place meanwhile. */
function isReadAsStored(key: string, stored: unknown, { paths, before }: EditReads): boolean {
  const isNumber = typeof stored === "number" || stored === undefined;
  return isNumber && paths.has(key) && Object.is(stored, valueAt(before, key));
}

export function isCounted(counted: CountedPaths, path: Path): boolean {
  return Object.hasOwn(counted, pathKey(path));
}

export function isCountedBelow(counted: CountedPaths, path: Path): boolean {
  const inside = `${pathKey(path).slice(0, -1)},`;
  return Object.keys(counted).some((key) => key.startsWith(inside));
}

export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

/** @param key The path, as text. */
export function valueAt(state: Readonly<JsonObject>, key: string): unknown {
  const path = JSON.parse(key) as Path;
  return path.reduce<unknown>(
    (value, field) => (isContainer(value) && Object.hasOwn(value, field) ? (value as JsonObject)[field] : undefined),
    state,
  );
}
