/** What `runtime.workers` returns. */
import type { QueueLimitsShown } from "./queue.types.js";

/** A process that executes runs of the store. */
export interface WorkerState {
  /** Unique, and new with each start of the process. */
  readonly id: string;
  /** Name of its machine; `""` where the host does not say. */
  readonly host: string;
  readonly pid: number | null;
  /** Version of the program: the option `version` of its runtime; `""` for none. */
  readonly version: string;
  readonly startedAtMs: number;
  /**
   * Its last heartbeat, in epoch milliseconds by its own clock. It sends one with every renewal of its leases, and one with every second
   * renewal while nothing else here changes.
   */
  readonly beatAtMs: number;
  /** `false`: its lease has run out since the last heartbeat. Other processes take its runs. */
  readonly isAlive: boolean;
  /** Runs in its memory at the last heartbeat. */
  readonly runs: number;
  /** Those of them that are of a queue. */
  readonly places: number;
  /** The most runs that it works on at once; `null` for no limit. */
  readonly maxRuns: number | null;
  /** Workflows that it has the code of. */
  readonly workflows: readonly string[];
  /** Queues that it names, with the limits in its options. */
  readonly queues: { readonly [name: string]: QueueLimitsShown };
}

/**
 * The processes that execute runs of the store. One that stops is gone from the list; one that dies stays for a day, and is no longer
 * alive when its lease has run out. Processes with `execute: false`, and those over Restate, are not in it.
 */
export interface RuntimeWorkers {
  /** The living ones first, then by their start. */
  list(): Promise<readonly WorkerState[]>;
}
