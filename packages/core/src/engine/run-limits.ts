/**
 * Size limits of a run. What exceeds a limit is refused where it arises, with the same numbers as in the reader of
 * snapshots: everything that was written can be loaded.
 *
 * @module
 */
export interface RunLimits {
  /** Elements of one fan-out. */
  readonly elements: number;
  /** Nesting depth of runs, without the outermost. Each run takes two levels of a snapshot; readers take far more than that. */
  readonly nestedRuns: number;
}

export const runLimits: RunLimits = { elements: 10_000_000, nestedRuns: 200 };
