/** What a host of activations gives and takes. */
import type { Clock, Log } from "../engine/ports.js";
import type { CommitResult, ReceivedMessage, RunCommit, RunStore, StoredPost, StoredRun } from "./run-store.types.js";
import type { Workflows } from "./runtime.types.js";

export interface ActivationsOptions {
  /** By their durable names. */
  readonly workflows: Workflows;
  /** Collision-resistant hash of a text, for blobs. */
  readonly hash: RunStore["hash"];
  /** Ticks between two snapshots. From 1. @default 200 */
  readonly snapshotEvery?: number;
  /** `{ keep }`: about this many of the last ticks of a run stay. @default "all" */
  readonly history?: "all" | { readonly keep: number };
  /** What a step makes into a longer tick is refused at the call, with the step still there to be told. @default none */
  readonly maxTickLength?: number;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** One run, as its host keeps it. */
export interface ActivationStore extends Pick<RunStore, "snapshot" | "ticks" | "blob" | "record"> {
  /** Keeps a commit. What it says does not count before this resolves. */
  commit(commit: RunCommit, nature: RoundNature): Promise<CommitResult>;
}

/** What a host may know of a commit without reading it. */
export interface RoundNature {
  /** Nothing that user code has done is in it: after a crash it would be made again. It may be kept together with the commit after it. */
  readonly follows: boolean;
  /** The run ends with it, so nothing begins once it is kept. */
  readonly ends: boolean;
  /** No step of the run or its children is at work: what is given back now runs no step twice. */
  readonly isCalm: boolean;
}

export interface ActivationSetup {
  readonly store: ActivationStore;
  readonly run: StoredRun;
  /** Those without a receipt. */
  readonly posts: readonly StoredPost[];
  /** A run that has ended continues on request only. @default "recover" */
  readonly why?: "recover" | "resume" | "retry";
  /** Kept with the first tick of a run that resumes on request. */
  readonly received?: readonly ReceivedMessage[];
  /** It is no longer this activation's. */
  readonly onLost?: (error: unknown) => void;
}

/** A run in memory. Its last commit says `release`. */
export interface ActivatedRun {
  /** Hands them in, in order; one that is known is left out. Their receipts come with the commits. */
  deliver(posts: readonly StoredPost[]): void;
  cancel(reason: unknown): void;
  /** What is under way does not count any more, and its signals are aborted. It commits nothing from here on. */
  drop(): void;
}

export interface Activations {
  /** The routing tables of a workflow and its children, to be kept where a run of it is. @throws {WorkflowError} `WORKFLOW_UNKNOWN` */
  codeOf(workflow: string): { readonly hash: string; readonly text: string };
  /**
   * Loads a run, and goes on with it. Null: it has ended, and only what was missing of that is committed; or its time is yet to come.
   *
   * @throws {WorkflowError} `WORKFLOW_UNKNOWN`, and what keeps the run from being loaded.
   */
  open(setup: ActivationSetup): Promise<ActivatedRun | null>;
  /** Disposes the resources that its runs have shared. */
  dispose(): Promise<void>;
}
