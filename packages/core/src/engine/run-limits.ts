/**
 * How large a run may be. What passes a limit is refused where it arises, by the numbers that the reader of snapshots goes by: what
 * was written can be loaded.
 *
 * @module
 */
export interface RunLimits {
  /** Elements of one fan-out. */
  readonly elements: number;
  /** Runs inside of runs, the outermost not counted. Each takes two levels of a snapshot. */
  readonly nestedRuns: number;
}

const documented: RunLimits = { elements: 10_000_000, nestedRuns: 800 };
let current = documented;

export function runLimits(): RunLimits {
  return current;
}

/** For tests of what happens at the limits. Gives the way back. @internal */
export function limitRuns(limits: Partial<RunLimits>): () => void {
  current = { ...documented, ...limits };
  return () => {
    current = documented;
  };
}
