/** How a runtime is made. */
import type { Clock, Log, ResourceOverride } from "../../host.js";
import type { Duration } from "../../value/duration.js";
import type { RunStore } from "../store/run-store.types.js";
import type { BudgetOptions } from "./budget.types.js";
import type { Workflows } from "./runtime-names.types.js";
import type { RuntimeTelemetry } from "./runtime-observer.types.js";

export interface RuntimeOptions<Flows extends Workflows> {
  /** The workflows by their durable names. A stored run finds its workflow by this name, not by that of the class. */
  readonly workflows: Flows;
  /**
   * Version of your program, such as `1.5.0` or the name of a commit: 1 to 255 bytes of UTF-8. It is stored with runs that start here,
   * and with runs of another version that continue here.
   * @default the environment variable `MILLRACE_VERSION`; else it is not known
   */
  readonly version?: string;
  /** Where runs are kept. The runtime closes it in `stop`. @default `memoryStore()` */
  readonly store?: RunStore;
  /**
   * `false`: no step runs in this process. Runs are stored and left to a runtime over the same store that executes. Messages and
   * requests to cancel, resume or retry go to that runtime through the store, and are answered once it has taken them. Everything
   * that reads works. Needs a `store`.
   * @default true
   */
  readonly execute?: boolean;
  /**
   * Maximum number of runs at work in this process. It claims no more: other due runs are for other processes, or wait in the
   * store. A run that only waits does not count, and leaves memory at once. Integer, at least 1.
   * @default no limit
   */
  readonly maxConcurrentRuns?: number;
  /**
   * How long the lease of a run lasts, in milliseconds: a run belongs to one process for this long, which renews the lease every
   * third of it. At least 100.
   * @default 30000
   */
  readonly leaseMs?: number;
  /**
   * Milliseconds after which a run that only waits leaves memory. With 0, each wait goes through the store, as after a restart.
   * @default 10000
   */
  readonly idleReleaseMs?: number;
  /**
   * Number of ticks between two snapshots: a load repeats at most as many. After a snapshot of more than 64 kB of text, the next
   * one also waits for as much text of ticks. Integer, at least 1.
   * @default 200
   */
  readonly snapshotEvery?: number;
  /**
   * `{ keep }`: about this many of the last ticks of a run are kept, and at least those since its last snapshot. Integer, at least
   * 0.
   * @default "all"
   */
  readonly history?: "all" | { readonly keep: number };
  /**
   * Queues by name: how many runs of a queue are at work at once, and how often one begins. The limits hold over all processes of
   * the store. A process claims only runs of the queues that it names.
   * @default none
   */
  readonly queues?: { readonly [name: string]: QueueOptions };
  /**
   * What the calls of a run and of a tenant may spend, over all processes of the store: model calls of agents, and calls of
   * `budgetOf(ctx).run`.
   * @default no limit
   */
  readonly budgets?: BudgetOptions;
  /** Replacements of resources in all of its runs, for tests: `[database.override(fake)]`. The runtime does not dispose them. @default none */
  readonly resources?: readonly ResourceOverride[];
  /**
   * Traces the runs of all workflows of the runtime, as `workflow.use(telemetry)` does, and measures the runtime itself.
   * @default none
   */
  readonly telemetry?: RuntimeTelemetry;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** Limits of a queue. Each process obeys its own: set the same limits in all processes. */
export interface QueueOptions {
  /**
   * Maximum number of runs of the queue at work at once. A run that only waits does not count. Integer, at least 1.
   * @default no limit
   */
  readonly concurrency?: number;
  /** The same for each `queueKey`. @default no limit */
  readonly perKey?: { readonly concurrency: number };
  /**
   * Maximum number of runs of the queue that begin within any window of the length `per`. `limit` is an integer of at least 1. A
   * run that comes back after a wait does not count again.
   * @default no limit
   */
  readonly rate?: { readonly limit: number; readonly per: Duration };
  /** `true`: runs of the queue may be started with a `priority`. @default false */
  readonly priority?: boolean;
}
