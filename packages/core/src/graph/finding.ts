import { nearest } from "../value/nearest.js";

/** One thing that is wrong with a workflow. */
export interface Finding {
  /** Which check has found it; the code of the error, such as `EVENT_TYPE_TAKEN`, where the mistake has one of its own. */
  readonly check: string;
  readonly step?: string;
  readonly event?: string;
  readonly message: string;
  readonly hint: string;
}

/** Each name once. */
export function quoteNames(names: readonly string[]): string {
  return [...new Set(names)].map((name) => `"${name}"`).join(", ");
}

/** " Did you mean …?" with another name, or nothing. */
export function suggest(name: string, candidates: Iterable<string>): string {
  const close = nearest(
    name,
    [...candidates].filter((candidate) => candidate !== name),
  );
  return close === null ? "" : ` Did you mean "${close}"?`;
}
