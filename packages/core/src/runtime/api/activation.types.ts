/** What a host of activations passes and gets. */
import type { Clock, Log } from "../../host.js";
import type { CommitResult, RunCommit, RunStore, StoredPost, StoredRun } from "../store/run-store.types.js";
import type { Workflows } from "./runtime.types.js";

export interface ActivationsOptions {
  /** The workflows by their durable names. */
  readonly workflows: Workflows;
  /** Collision-resistant hash of a text, for blobs. */
  readonly hash: RunStore["hash"];
  /** Version of the program. @default the environment variable `MILLRACE_VERSION`; else it is not known */
  readonly version?: string | undefined;
  /** Number of ticks between two snapshots. Integer, at least 1. @default 200 */
  readonly snapshotEvery?: number;
  /** `{ keep }`: about this many of the last ticks of a run are kept. @default "all" */
  readonly history?: "all" | { readonly keep: number };
  /** Maximum length of one tick, in UTF-16 code units. A call of a step that makes a longer tick is refused. @default no limit */
  readonly maxTickLength?: number;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** One run, as its host stores it. */
export interface ActivationStore extends Pick<RunStore, "snapshot" | "ticks" | "blob" | "record"> {
  /** Stores a commit. Nothing in it counts before this resolves. */
  commit(commit: RunCommit, nature: RoundNature): Promise<CommitResult>;
}

/** Facts about a commit that a host gets without reading it. */
export interface RoundNature {
  /**
   * `true`: the commit holds no result of user code, so a load would make it again after a crash. It may be stored together with
   * the next commit.
   */
  readonly follows: boolean;
  /** `true`: the run ends with it, so nothing begins once it is stored. */
  readonly ends: boolean;
  /** `true`: no step of the run or its children is running, so giving the run back now repeats no step. */
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
