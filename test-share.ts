/**
 * How much of the longest tests runs: `npm test` leaves files named `*.long.test.ts` out and takes a tenth of the cases of the
 * others, the same in every run. CI sets `LONG_TESTS=1`: those, too, and two fifths of the cases. `LONG_TESTS=all`, every
 * night: all, with files named `*.nightly.test.ts`.
 *
 * @module
 */
const setting = process.env["LONG_TESTS"] ?? "";

/** Whether files named `*.nightly.test.ts` run. */
export const isNightly: boolean = setting === "all";

/** Whether files named `*.long.test.ts` run. */
export const isLong: boolean = setting === "1" || isNightly;

const tenths = isNightly ? 10 : isLong ? 4 : 1;

/** How many of so many random cases are tried. */
export function casesOf(all: number): number {
  return Math.ceil((all * tenths) / 10);
}

/** Whether the case of this number is tried: number 0 always is. */
export function isTried(number: number): boolean {
  // Of ten in a row: 0, 3, 6 and 9 in CI, 0 in `npm test`.
  return (number * 7) % 10 < tenths;
}
