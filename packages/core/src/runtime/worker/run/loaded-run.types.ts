import type { RunState, Tick } from "../../../host.js";
import type { RunKey, StoredStatus } from "../../store/run-store.types.js";
import type { ContinuedBy } from "../commit/commit.js";
import type { RegisteredWorkflow } from "../workflows/registered-workflows.js";

/** A run as it was loaded, or as it is about to begin. */
export interface LoadedRun {
  readonly key: RunKey;
  readonly workflow: RegisteredWorkflow;
  readonly epoch: number;
  /** Version of the program that has continued it last; `null` if that is not known. */
  readonly version: string | null;
  /** Number of the last stored tick. */
  readonly ticks: number;
  readonly snapshotAt: number;
  readonly state: RunState;
  readonly descendants: Map<string, RunState> | null;
  /** Ticks that record for members of the tree that their code has changed. */
  readonly upgradeTicks: ReadonlyMap<string, readonly Tick[]> | null;
  readonly status: StoredStatus;
  /** `false` for a run that the first commit creates. */
  readonly isStored: boolean;
  /** What continues it after its end, with the first ticks here. */
  readonly continuedBy: ContinuedBy | null;
  /** `true` if its ticks alone do not determine its state: it began with that of another run, or its first ticks were pruned. */
  readonly hasPartialHistory: boolean;
  /** `true`: it holds a place of a queue, and leaves memory as soon as it only waits. */
  readonly isQueued: boolean;
  /** `true`: its first ticks here only say that it continues; it does so when it gets a place of its queue. */
  readonly releasesFirst: boolean;
}
