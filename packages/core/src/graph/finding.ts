import { nearest } from "../value/nearest.js";

/** A problem of a workflow. */
export interface Finding {
  /** The check that has found it; or the error code, such as `EVENT_TYPE_TAKEN`, when the mistake has its own code. */
  readonly check: string;
  readonly step?: string;
  readonly event?: string;
  readonly message: string;
  readonly hint: string;
}

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
