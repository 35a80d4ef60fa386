/**
 * Marks requests built in this process with a symbol. JSON cannot carry symbols, so a request over HTTP cannot have the mark.
 *
 * @module
 */

// Symbol.for: a nested pipeline may be of a second installed copy.
const mark: unique symbol = Symbol.for("millrace.pipeline.made-here") as never;

export function markTrusted<Value extends object>(value: Value): Value {
  return { ...value, [mark]: true };
}

/** The request without its mark; `null` for a request from outside. */
export function madeHere<Value extends object>(value: unknown): Value | null {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, mark)) return null;
  const { [mark]: _, ...plain } = value as { [mark]?: true };
  return plain as Value;
}
