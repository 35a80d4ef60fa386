/** Settings of a runtime for each of its runs. */
import type { DoneBy } from "../../../event/done-by.types.js";
import type { Deferred } from "../../../system/deferred.js";
import type { ReceivedMessage } from "../../store/run-store.types.js";
import type { SnapshotSettings } from "../release/snapshot-policy.js";

export interface DurableRunSettings extends SnapshotSettings {
  readonly idleReleaseMs: number;
  /** Maximum length of one tick in the store, in UTF-16 code units. @default no limit */
  readonly maxTickLength?: number | undefined;
}

/** Why a run was loaded that had ended, or whose time had not come. */
export interface RunRequest {
  readonly received: readonly ReceivedMessage[];
  /** Who has asked for it. */
  readonly by?: DoneBy | undefined;
  /** Resolves once the first ticks here are stored. */
  readonly stored: Deferred<void>;
}
