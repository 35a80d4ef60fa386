/** Shorter texts are words that occur everywhere, such as "a" or "yes". */
const shortest = 3;

/** Replaces the texts of these fields, and the same texts in all others. */
export function redacted<Json>(json: Json, fields: readonly string[]): Json {
  if (fields.length === 0) return json;
  const names = new Set(fields);
  const texts = new Set<string>();
  collect(json, { names, isInside: false, texts });
  // The longest first, so that a text is not cut by one that is a part of it.
  const replaced = [...texts].filter((text) => text.length >= shortest).sort((one, other) => other.length - one.length);
  const byText = new Map([...texts].map((text, index) => [text, `redacted-${index + 1}`]));
  return rewrite(json, (text) => {
    const whole = byText.get(text);
    return whole ?? replaced.reduce((rest, secret) => rest.replaceAll(secret, byText.get(secret) as string), text);
  }) as Json;
}

interface Search {
  readonly names: ReadonlySet<string>;
  readonly isInside: boolean;
  readonly texts: Set<string>;
}

function collect(json: unknown, search: Search): void {
  if (typeof json === "string" && search.isInside && json !== "") search.texts.add(json);
  if (typeof json !== "object" || json === null) return;
  for (const [name, value] of Object.entries(json))
    collect(value, search.names.has(name) ? { ...search, isInside: true } : search);
}

function rewrite(json: unknown, change: (text: string) => string): unknown {
  if (typeof json === "string") return change(json);
  if (Array.isArray(json)) return json.map((one) => rewrite(one, change));
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, rewrite(value, change)]));
}
