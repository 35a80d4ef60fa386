type Values = Readonly<Record<string, unknown>>;

/**
 * Dependencies or metadata: plain objects are merged field by field, of everything else the second replaces the first.
 *
 * Not the merge of session states: that one copies, and a database client among the dependencies has to stay what it is.
 */
export function mergeValues(first: Values, second: Values): Record<string, unknown> {
  const merged = new Map(Object.entries(first));
  for (const [key, value] of Object.entries(second)) {
    const before = merged.get(key);
    merged.set(key, isPlain(before) && isPlain(value) ? mergeValues(before, value) : value);
  }
  return Object.fromEntries(merged);
}

function isPlain(value: unknown): value is Values {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
