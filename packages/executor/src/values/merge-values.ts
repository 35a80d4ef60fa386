type Values = Readonly<Record<string, unknown>>;

/**
 * Merges dependencies or metadata: plain objects field by field; any other value of `second` replaces that of `first`.
 *
 * Session states are merged elsewhere: that merge copies values, and a database client among the dependencies must not
 * be copied.
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
