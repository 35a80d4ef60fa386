/**
 * Numbers of a session state that a run has only counted: every change of them was made by an `editState` that had read
 * them before. For such a number the run contributes the amount of the change, and not the value.
 *
 * The paths are stored in the edit that stores the change, so that no crash or retry can lose or repeat one.
 *
 * @module
 */
import { isContainer, type JsonObject, keysBelow, type Path, pathKey } from "./json.js";
import { type RecordedSession, recordPatch } from "./list-record.js";
import { applyTo, type SessionPatch } from "./patches.js";

/** Paths of the counted numbers, as text. */
export type CountedPaths = Readonly<Record<string, true>>;

/** The session in the stored state of a run. */
export interface StoredSession extends RecordedSession {
  counted: Record<string, true>;
}

/** What an edit has read before its first change. */
export interface EditReads {
  /** State that the edit got. */
  readonly before: Readonly<JsonObject>;
  /** Paths of the numbers that it read, and of fields that did not exist. */
  readonly paths: ReadonlySet<string>;
}

/**
 * Applies changes to the stored session, and updates which numbers are counted and what was done to lists.
 *
 * @param reads Reads of an edit. Changes without it were made in place, and count nothing.
 */
export function keepChanges(stored: StoredSession, patches: readonly SessionPatch[], reads?: EditReads): void {
  if (patches.length === 0) return;
  const known = new Set([...Object.keys(stored.counted), ...(reads?.paths ?? [])]);
  const before = new Map([...known].map((key) => [key, valueAt(stored.session, key)]));
  for (const patch of patches) {
    recordPatch(stored, patch);
    applyTo(stored.session, [patch]);
  }
  for (const key of known) {
    const after = valueAt(stored.session, key);
    if (Object.is(after, before.get(key))) continue;
    const isCount = typeof after === "number" && reads !== undefined && isReadAsStored(key, before.get(key), reads);
    if (!isCount) delete stored.counted[key];
    // Otherwise the field was set before, for example by the run's own `sessionState`, and its value is not an amount.
    else if (Object.is(before.get(key), valueAt(stored.sessionAtStart, key))) stored.counted[key] = true;
  }
}

/** Returns `false` when another attempt has meanwhile changed the field in place. */
function isReadAsStored(key: string, stored: unknown, { paths, before }: EditReads): boolean {
  const isNumber = typeof stored === "number" || stored === undefined;
  return isNumber && paths.has(key) && Object.is(stored, valueAt(before, key));
}

export function isCounted(counted: CountedPaths, path: Path): boolean {
  return Object.hasOwn(counted, pathKey(path));
}

export function isCountedBelow(counted: CountedPaths, path: Path): boolean {
  return keysBelow(counted, pathKey(path)).length > 0;
}

/** @param key The path, as text. */
export function valueAt(state: Readonly<JsonObject>, key: string): unknown {
  const path = JSON.parse(key) as Path;
  return path.reduce<unknown>(
    (value, field) => (isContainer(value) && Object.hasOwn(value, field) ? (value as JsonObject)[field] : undefined),
    state,
  );
}
