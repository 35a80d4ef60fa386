/**
 * A JSON Schema with references to itself as they are where it is a part of another one: a reference begins at the root.
 *
 * @param at Keys that lead to it from the root.
 */
export function placedSchema<Part>(part: Part, at: readonly (string | number)[]): Part {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map((one) => placedSchema(one, at)) as Part;
  const pointer = at.map((step) => `/${encodeURIComponent(String(step).replace(/~/g, "~0").replace(/\//g, "~1"))}`);
  const moved = ([key, value]: [string, unknown]): [string, unknown] =>
    key === "$ref" && typeof value === "string" && value.startsWith("#")
      ? [key, `#${pointer.join("")}${value.slice(1)}`]
      : [key, placedSchema(value, at)];
  return Object.fromEntries(Object.entries(part).map(moved)) as Part;
}
