/** Requirements of runs in memory on their host: a runtime, or a host that places runs itself. */

import type { Clock, RunState, Tick } from "../../../host.js";
import type { Budgets } from "../../budget/budgets.js";
import type { RunKey, RunStore, StoredStatus } from "../../store/run-store.types.js";
import type { RecordQueue } from "../commit/attempt-records.js";
import type { ContinuedBy } from "../commit/commit.js";
import type { GroupCommit } from "../commit/group-commit.js";
import type { RunReads } from "../load/load.js";
import type { RegisteredWorkflow } from "../workflows/registered-workflows.js";
import type { SnapshotSettings } from "./run-measures.js";

export interface RunHost {
  readonly store: RunReads & Pick<RunStore, "hash" | "record" | "run" | "claim" | "commit">;
  readonly clock: Clock;
  readonly committer: GroupCommit;
  readonly owner: string;
  readonly settings: DurableRunSettings;
  readonly turns: RecordQueue;
  /** Budgets of the runs. @default no limit */
  readonly budgets?: Budgets | null;
  readonly isStopped: boolean;
  /** Whether what callers do is stored in an audit, too. */
  readonly keepsAudit: boolean;
  /** Whether the store counts what ends. */
  readonly keepsStatistics: boolean;
  /** Whether the row of a run is due by the clock; otherwise by the time of the run, for hosts that count from `atMs`. */
  readonly isDueByClock: boolean;
}

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
  /** Message that continues the run after its end, with the first ticks here. */
  readonly continuedBy: ContinuedBy | null;
  /** `true` if its ticks alone do not determine its state: it began with that of another run, or its first ticks were pruned. */
  readonly hasPartialHistory: boolean;
  /** `true` if it holds a place of a queue, and leaves memory as soon as it only waits. */
  readonly isQueued: boolean;
  /** `true` if its first ticks here only say that it continues; it does so when it gets a place of its queue. */
  readonly releasesFirst: boolean;
}

// ---- settings of a runtime for each of its runs

export interface DurableRunSettings extends SnapshotSettings {
  readonly idleReleaseMs: number;
  /** Maximum length of one tick in the store, in UTF-16 code units. @default no limit */
  readonly maxTickLength?: number | undefined;
}
