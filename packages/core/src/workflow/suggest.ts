import { nearest } from "../value/nearest.js";

/** " Did you mean …?", or nothing. */
export function suggest(name: string, candidates: Iterable<string>): string {
  const close = nearest(name, candidates);
  return close === null ? "" : ` Did you mean "${close}"?`;
}
