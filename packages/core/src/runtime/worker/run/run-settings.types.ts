/** Settings of a runtime for each of its runs. */
import type { SnapshotSettings } from "../release/snapshot-policy.js";

export interface DurableRunSettings extends SnapshotSettings {
  readonly idleReleaseMs: number;
  /** Maximum length of one tick in the store, in UTF-16 code units. @default no limit */
  readonly maxTickLength?: number | undefined;
}
