/**
 * Replaces each `{key}` of a known key by its value.
 *
 * Braces inside a value are not replaced again. A placeholder without a known key, such as `{a.b}` or an example of
 * JSON, stays in the text.
 */
export function fillTemplate(text: string, sources: readonly Readonly<Record<string, unknown>>[]): string {
  return text.replaceAll(/\{([\p{L}\p{N}_-]+)\}/gu, (placeholder, key: string) => {
    const source = sources.find((values) => Object.hasOwn(values, key) && values[key] !== undefined);
    return source === undefined ? placeholder : (textOf(source[key]) ?? placeholder);
  });
}

/** JSON text of a value; `null` for values that have none, such as a service among the dependencies. */
function textOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null; // the value contains itself, or a bigint
  }
}
