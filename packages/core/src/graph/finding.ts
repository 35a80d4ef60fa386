import { nearest } from "../value/unknown-names.js";

/** Quotes each name once. */
export function quoteNames(names: readonly string[]): string {
  return [...new Set(names)].map((name) => `"${name}"`).join(", ");
}

/** " Did you mean …?" with the nearest name, or nothing. */
export function suggest(name: string, candidates: Iterable<string>): string {
  const close = nearest(
    name,
    [...candidates].filter((candidate) => candidate !== name),
  );
  return close === null ? "" : ` Did you mean "${close}"?`;
}
