/**
 * `{key}` in a text becomes the value of a known key.
 *
 * Each placeholder is looked at once: braces inside a value stay as they are. What is no known key, such as `{a.b}` or an
 * example of JSON, stays as it is, too.
 */
export function fillTemplate(text: string, sources: readonly Readonly<Record<string, unknown>>[]): string {
  return text.replaceAll(/\{([\p{L}\p{N}_-]+)\}/gu, (placeholder, key: string) => {
    const source = sources.find((values) => Object.hasOwn(values, key) && values[key] !== undefined);
    return source === undefined ? placeholder : (textOf(source[key]) ?? placeholder);
  });
}

/** Null: it has none, as a service among the dependencies. */
function textOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null; // it contains itself, or a bigint
  }
}
