import { isDeepStrictEqual } from "node:util";

/** Durations differ. */
export const sameButTime = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(withoutTimes(one), withoutTimes(other));

function withoutTimes(ending: unknown): unknown {
  return JSON.parse(JSON.stringify(ending, (key, value) => (/duration|timeTo/i.test(key) ? undefined : value)));
}
