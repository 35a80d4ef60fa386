/**
 * `{key}` in a text becomes the value of a known key.
 *
 * Each placeholder is looked at once: braces inside a value stay as they are. What is no known key, such as `{a.b}` or an
 * example of JSON, stays as it is, too.
 */
export function fillTemplate(text: string, sources: readonly Readonly<Record<string, unknown>>[]): string {
  return text.replaceAll(/\{([\p{L}\p{N}_-]+)\}/gu, (placeholder, key: string) => {
    const source = sources.find((values) => Object.hasOwn(values, key) && values[key] !== undefined);
    return source === undefined ? placeholder : toText(source[key]);
  });
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}
