type Values = Readonly<Record<string, unknown>>;

/**
 * Dependencies or metadata: plain objects merge, everything else is replaced; `over` wins.
 *
 * Not the merge of session states: that one copies, and a database client among the dependencies has to stay what it is.
 */
export function mergeValues(base: Values, over: Values): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (key === "__proto__") continue;
    const below = Object.hasOwn(base, key) ? base[key] : undefined;
    merged[key] = isPlain(value) && isPlain(below) ? mergeValues(below, value) : value;
  }
  return merged;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
