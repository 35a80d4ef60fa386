/**
 * What the package itself gives a run. Nothing that comes as JSON has a key that is a symbol: whoever posts to a server cannot make
 * such an object, whatever they write.
 *
 * @module
 */

// Symbol.for: a nested pipeline may be of a second installed copy.
const mark: unique symbol = Symbol.for("millrace.pipeline.made-here") as never;

export function markTrusted<Value extends object>(value: Value): Value {
  return { ...value, [mark]: true };
}

/** Without its mark. Null: it comes from somewhere else. */
export function madeHere<Value extends object>(value: unknown): Value | null {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, mark)) return null;
  const { [mark]: _, ...plain } = value as { [mark]?: true };
  return plain as Value;
}
