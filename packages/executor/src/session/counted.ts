/**
 * Numbers of a session state that a run has only counted: every change of them was made by an `editState` that had read
 * them before. For such a number the run contributes the amount of the change, and not the value.
 *
 * The paths are stored in the edit that stores the change, so that no crash or retry can lose or repeat one.
 *
 * @module
 */
import { fieldAt, type JsonObject, keysBelow, type Path, pathKey } from "./json.js";
import { pathAtStart, pathNow, type RecordedSession, recordPatch } from "./list-record.js";
import { applyTo, type SessionPatch } from "./patches.js";

/** Paths of the counted numbers in the state at the start of the run, as text: their items may be in other places now. */
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
  const known = knownNumbers(stored, reads);
  for (const patch of patches) {
    recordPatch(stored, patch);
    applyTo(stored.session, [patch]);
  }
  for (const [key, { place, value: before }] of known) {
    const after = valueNow(stored, key);
    if (Object.is(after, before)) continue;
    const isCount = typeof after === "number" && reads !== undefined && isReadAsStored(place, before, reads);
    if (!isCount) delete stored.counted[key];
    // Otherwise the field was set before, for example by the run's own `sessionState`, and its value is not an amount.
    else if (Object.is(before, valueAt(stored.sessionAtStart, key))) stored.counted[key] = true;
  }
}

interface KnownNumber {
  /** Its path now, as text. */
  readonly place: string | null;
  readonly value: unknown;
}

/** What is counted, and what an edit has read, by paths at the start. A number in a new item is not shared. */
function knownNumbers(stored: StoredSession, reads: EditReads | undefined): Map<string, KnownNumber> {
  const known = new Map<string, KnownNumber>();
  const add = (key: string, place: string | null): void =>
    void known.set(key, { place, value: place === null ? undefined : valueAt(stored.session, place) });
  for (const key of Object.keys(stored.counted)) add(key, textOf(pathNow(stored, pathOf(key))));
  for (const place of reads?.paths ?? []) {
    const key = textOf(pathAtStart(stored, pathOf(place)));
    if (key !== null) add(key, place);
  }
  return known;
}

/** @param key The path at the start, as text. */
export function valueNow(recorded: RecordedSession, key: string): unknown {
  const place = textOf(pathNow(recorded, pathOf(key)));
  return place === null ? undefined : valueAt(recorded.session, place);
}

function textOf(path: Path | null): string | null {
  return path === null ? null : pathKey(path);
}

function pathOf(key: string): Path {
  return JSON.parse(key) as Path;
}

/** Returns `false` when another attempt has meanwhile changed the field in place. */
function isReadAsStored(place: string | null, stored: unknown, { paths, before }: EditReads): boolean {
  const isNumber = typeof stored === "number" || stored === undefined;
  return place !== null && isNumber && paths.has(place) && Object.is(stored, valueAt(before, place));
}

export function isCounted(counted: CountedPaths, path: Path): boolean {
  return Object.hasOwn(counted, pathKey(path));
}

/** Whether the number at the path is counted, or one in what is there. */
export function isCountedIn(counted: CountedPaths, path: Path): boolean {
  return isCounted(counted, path) || keysBelow(counted, pathKey(path)).length > 0;
}

/** @param key The path, as text. */
export function valueAt(state: Readonly<JsonObject>, key: string): unknown {
  return fieldAt(state, pathOf(key));
}
