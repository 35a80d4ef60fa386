/**
 * Results of walks over large, deeply frozen values, so that they are not walked again.
 *
 * Only plain JSON is known: a `Date` can be written to in whatever is frozen. What is near the limits is not, so whoever finds
 * a value here need not measure it.
 *
 * @module
 */
import { isNear, type Measure } from "./limits.js";
import type { ValueType } from "./storable.js";

/** Smaller values are walked in less time than it takes to remember them. In keys and items. */
export const LARGE = 256;

interface Known extends Measure {
  /** None of these takes anything in it: a registered class may take plain records, too. `null` where they were not asked. */
  readonly types: readonly ValueType[] | null;
}

const known = new WeakMap<object, Known>();

/**
 * @param value Plain JSON, deeply frozen.
 * @param types Those that take nothing in it, or `null` where they were not asked.
 */
export function rememberPlain(value: unknown, measure: Measure, types: readonly ValueType[] | null): void {
  const { items, characters } = measure;
  if (items >= LARGE && !isNear(measure)) known.set(value as object, { items, characters, types });
}

/**
 * How large a value is at most that is known to be plain JSON. `null` for one that has to be looked through.
 *
 * @param types Those that take nothing in it. Left out: whatever they take.
 */
export function knownPlain(value: unknown, types?: readonly ValueType[]): Measure | null {
  const found = known.get(value as object);
  if (found === undefined || isNear(found)) return null;
  return types === undefined || found.types === types ? found : null;
}

/** True for what is deeply frozen for sure. */
export function isKnown(value: object): boolean {
  return known.has(value);
}
