/** What runs in memory ask of the place where they are: a runtime, or a host that places runs itself. */
import type { Clock } from "../../../host.js";
import type { Budgets } from "../../budget/budgets.js";
import type { RunStore } from "../../store/run-store.types.js";
import type { GroupCommit } from "../commit/group-commit.js";
import type { RecordQueue } from "../commit/record-queue.js";
import type { RunReads } from "../load/load.js";
import type { DurableRunSettings } from "./run-settings.types.js";

export interface RunHost {
  readonly store: RunReads & Pick<RunStore, "hash" | "record" | "run" | "claim" | "commit">;
  readonly clock: Clock;
  readonly committer: GroupCommit;
  readonly owner: string;
  readonly settings: DurableRunSettings;
  readonly turns: RecordQueue;
  /** What runs may spend. @default no limit */
  readonly budgets?: Budgets | null;
  readonly isStopped: boolean;
  /** Whether what callers do is stored in an audit, too. */
  readonly keepsAudit: boolean;
  /** Whether the store counts what ends. */
  readonly keepsStatistics: boolean;
  /** Whether the row of a run is due by the clock; otherwise by the time of the run, for hosts that count from `atMs`. */
  readonly isDueByClock: boolean;
}
