/**
 * How large one value may be: the fields of an event, a result, the whole state, a record.
 *
 * Counted on its JSON, by the same rules for writes and for reads: what is accepted can
 * be loaded. A `Map` is a list of pairs there, an event inside a value an object with `type` and `data`.
 *
 * @module
 */
export interface ValueLimits {
  /** Levels of arrays and objects. */
  readonly depth: number;
  /** Array items and object keys in all. */
  readonly items: number;
  /** UTF-16 code units of all keys and strings. */
  readonly characters: number;
}

/** Enough for 10,000 embeddings of 1,536 numbers in one value, and little enough for the text that stores keep. */
export const valueLimits: ValueLimits = { depth: 200, items: 20_000_000, characters: 200_000_000 };

/** Limits for a list of values that were each checked already, such as the changes of a state: only its depth counts. */
export const unmeasured: ValueLimits = {
  depth: 400,
  items: Number.POSITIVE_INFINITY,
  characters: Number.POSITIVE_INFINITY,
};

/** How large a value is. */
export interface Measure {
  readonly items: number;
  readonly characters: number;
}

/** How much a value exceeds a limit. */
export interface Excess {
  readonly unit: "keys and items" | "characters";
  readonly size: number;
  readonly limit: number;
}

/** More than half of what a value may have. */
export function isNear({ items, characters }: Measure): boolean {
  return items * 2 > valueLimits.items || characters * 2 > valueLimits.characters;
}

/** The exceeded limit; `null` if the value fits. */
export function excessOf({ items, characters }: Measure, limits: ValueLimits): Excess | null {
  if (items > limits.items) return { unit: "keys and items", size: items, limit: limits.items };
  if (characters > limits.characters) return { unit: "characters", size: characters, limit: limits.characters };
  return null;
}

/** "30 keys and items, more than the 20 that a value may have" */
export function describeExcess({ unit, size, limit }: Excess): string {
  return `${size} ${unit}, more than the ${limit} that a value may have`;
}

type Warn = (path: string, excess: Excess) => void;

const warnings = new WeakMap<object, Warn>();

/** Sets what is called for the first value near the limits that is encoded with this list of types. */
export function warnNear(types: object, warn: Warn): void {
  warnings.set(types, warn);
}

/** Costs two comparisons for a small value. */
export function warnNearLimit(measure: Measure, path: string, types: object): void {
  if (!isNear(measure)) return;
  const { items, characters } = valueLimits;
  const warn = warnings.get(types);
  const excess = excessOf(measure, { depth: 0, items: items / 2, characters: characters / 2 });
  if (warn === undefined || excess === null) return;
  warnings.delete(types);
  warn(path, { ...excess, limit: excess.limit * 2 });
}

// ---- plain JSON that is known
// Results of walks over large, deeply frozen values, so that they are not walked again.
//
// Only plain JSON is kept: a `Date` inside a frozen value can still be written to. Values near the limits are not kept, so a value
// that is found here need not be measured.

/** Smaller values are walked in less time than it takes to remember them. In keys and items. */
export const LARGE = 256;

interface Known extends Measure {
  /** Value types that match nothing in it; a registered class may match plain records, too. `null` if they were not asked. */
  readonly types: object | null;
}

const known = new WeakMap<object, Known>();

/**
 * @param value Plain JSON, deeply frozen.
 * @param types Those that take nothing in it, or `null` where they were not asked.
 */
export function rememberPlain(value: unknown, measure: Measure, types: object | null): void {
  const { items, characters } = measure;
  if (items >= LARGE && !isNear(measure)) known.set(value as object, { items, characters, types });
}

/**
 * Returns the largest size of a value that is known to be plain JSON; `null` for a value that has to be walked.
 *
 * @param types Value types that match nothing in it. @default the types that were asked
 */
export function knownPlain(value: unknown, types?: object): Measure | null {
  const found = known.get(value as object);
  if (found === undefined || isNear(found)) return null;
  return types === undefined || found.types === types ? found : null;
}

/** True for what is deeply frozen for sure. */
export function isKnown(value: object): boolean {
  return known.has(value);
}
