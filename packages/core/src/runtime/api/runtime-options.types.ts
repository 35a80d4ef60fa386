/** Options of a runtime, its reports for telemetry, and the options of a host of activations. */

import type { Clock, Log, ResourceOverride, Telemetry } from "../../host.js";
import type { Duration } from "../../value/duration.js";
import type { CommitResult, RunCommit, RunKey, RunStore, StoredPost, StoredRun } from "../store/run-store.types.js";
import type { BudgetOptions } from "./budget.types.js";
import type { Workflows } from "./run-filter.types.js";

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
   * Whether steps run in this process. With `false`, runs are stored and left to a runtime over the same store that executes.
   * Messages and requests to cancel, resume or retry go to that runtime through the store, and are answered once it has
   * processed them. Everything that reads works. Needs a `store`.
   *
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
   * Budgets of a run and of a tenant, over all processes of the store: for model calls of agents, and calls of
   * `budgetOf(ctx).run`.
   *
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
  /** Whether runs of the queue may be started with a `priority`. @default false */
  readonly priority?: boolean;
}

// ---- reports of a runtime for its telemetry: its commits, the runs that it claims, and those that it loses
// Methods are called synchronously, and must not throw. Without telemetry none of these values is made.

export interface RuntimeObserver {
  /** Called when a runtime was created. Returns the function to call when it has stopped. */
  onRuntime?(runtime: ObservedRuntime): () => void;
  /** Called when a transaction is sent to the store. Returns the function to call when it is stored, or has failed. */
  onCommit?(commit: ObservedCommit): (isStored: boolean) => void;
  /** Called when this process has claimed a due run. */
  onClaim?(claim: ObservedClaim): void;
  /** Called when another process has taken a run from this one, because its lease had expired. */
  onLeaseLost?(run: ObservedRun): void;
}

/** Telemetry that also measures the runtime that it is given to. */
export interface RuntimeTelemetry extends Telemetry {
  readonly runtime?: RuntimeObserver;
}

export interface ObservedRuntime {
  /** Number of runs in the memory of this process, at work or waiting. */
  readonly runsInMemory: number;
  /** Names of the queues of this runtime. */
  readonly queues: readonly string[];
  /**
   * Number of runs that wait for a place of a queue, in all tenants, counted up to `limit` per tenant. Costs one query per tenant
   * and per hundred runs.
   */
  queueDepth(queue: string, limit: number): Promise<number>;
}

export interface ObservedCommit {
  /** Number of runs in the transaction. */
  readonly runs: number;
  readonly ticks: number;
  /** Length of all texts in the transaction, in UTF-16 code units. */
  readonly textLength: number;
}

export interface ObservedRun extends RunKey {
  readonly workflow: string;
}

export interface ObservedClaim extends ObservedRun {
  /** When the run became due, in epoch milliseconds: its time, a message, or the last change by a process that died. */
  readonly dueAtMs: number;
  readonly claimedAtMs: number;
}

// ---- options of a host of activations

type SharedOptions = "workflows" | "snapshotEvery" | "history" | "clock" | "log";

export interface ActivationsOptions extends Pick<RuntimeOptions<Workflows>, SharedOptions> {
  /** Collision-resistant hash of a text, for blobs. */
  readonly hash: RunStore["hash"];
  /** Version of the program. @default the environment variable `MILLRACE_VERSION`; else it is not known */
  readonly version?: string | undefined;
  /** Maximum length of one tick, in UTF-16 code units. A call of a step that makes a longer tick is refused. @default no limit */
  readonly maxTickLength?: number;
}

/** One run, as its host stores it. */
export interface ActivationStore extends Pick<RunStore, "snapshot" | "ticks" | "blob" | "record"> {
  /** Stores a commit. Nothing in it counts before this resolves. */
  commit(commit: RunCommit, nature: RoundNature): Promise<CommitResult>;
}

/** Facts about a commit that a host gets without reading it. */
export interface RoundNature {
  /**
   * `true` if the commit holds no result of user code, so a load would make it again after a crash. It may be stored together with
   * the next commit.
   */
  readonly follows: boolean;
  /** `true` if the run ends with it, so nothing begins once it is stored. */
  readonly ends: boolean;
  /** `true` if no step of the run or its children is running, so releasing the run now repeats no step. */
  readonly isCalm: boolean;
}

export interface ActivationSetup {
  readonly store: ActivationStore;
  readonly run: StoredRun;
  /** Posts without a receipt. A run that has ended continues only if one of them says so. */
  readonly posts: readonly StoredPost[];
  /** Called when the run no longer belongs to this activation. */
  readonly onLost?: (error: unknown) => void;
}

/** A run in memory. Its last commit has `release`. */
export interface ActivatedRun {
  /** Delivers posts in order; known ones are ignored. Their receipts come with the commits. */
  deliver(posts: readonly StoredPost[]): void;
  cancel(reason: unknown): void;
  /** Drops the run: its signals abort, and it commits nothing from now on. */
  drop(): void;
}

export interface Activations {
  /** The routing tables of a workflow and its children, to be stored with its runs. @throws {WorkflowError} `WORKFLOW_UNKNOWN` */
  codeOf(workflow: string): { readonly hash: string; readonly text: string };
  /**
   * Loads a run and continues it. Resolves to `null` for a run that has ended (missing parts of its end are committed), or whose
   * time has not come.
   *
   * @throws {WorkflowError} `WORKFLOW_UNKNOWN`, and what keeps the run from being loaded.
   */
  open(setup: ActivationSetup): Promise<ActivatedRun | null>;
  /** Disposes the resources that its runs share. */
  dispose(): Promise<void>;
}
