/** Pauses between attempts, at random: processes that have failed together do not come back together. */

/** Between half of the milliseconds and all of them. */
export function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2);
}
