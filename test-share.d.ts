/**
 * How much of the longest tests runs. CI sets `LONG_TESTS=1` and runs every file and every case. Without it, files named
 * `*.long.test.ts` are left out, and a test takes a share of its cases, the same in every run, so that `npm test` stays short.
 *
 * @module
 */
export declare const isLong: boolean;
/** How many of so many random cases are tried. */
export declare function casesOf(all: number): number;
/** Whether the case of this number is tried: every tenth, from 0 on. */
export declare function isTried(number: number): boolean;
