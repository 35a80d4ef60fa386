/** What was changed of a queue while processes run, as its record holds it. */
import type { DoneBy } from "../../host.js";
import type { QueueLimitsShown } from "../api/queue.types.js";
import type { QueueLimits, RecordKey, RunStore } from "../store/run-store.types.js";
import { allPages } from "../store/store-kit.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind } from "../text/own-records.js";

export interface QueueSetting {
  readonly paused: boolean;
  /** Only those that were changed. */
  readonly limits: Partial<QueueLimitsShown>;
  readonly atMs: number;
  readonly by: DoneBy | null;
}

/** A setting that was read, with the version that a write of it expects. */
export interface ReadSetting {
  readonly version: number;
  readonly setting: QueueSetting;
}

export const asConfigured: QueueSetting = { paused: false, limits: {}, atMs: 0, by: null };

const page = { tenant: "", kind: ownKind("queue"), limit: 1_000 } as const;

export function settingKey(queue: string): RecordKey {
  return { tenant: page.tenant, kind: page.kind, id: queue };
}

/** The changed queues by name. */
export async function readSettings(store: Pick<RunStore, "records">): Promise<ReadonlyMap<string, ReadSetting>> {
  const settings = new Map<string, ReadSetting>();
  for await (const { records } of allPages((from) => store.records({ ...page, ...from })))
    for (const { id, version, text } of records)
      settings.set(id, { version, setting: parseJson(text, `queue "${id}"`) as QueueSetting });
  return settings;
}

export function limitsShown({ concurrency, perKey, rate }: QueueLimitsShown): QueueLimitsShown {
  return { concurrency, perKey, rate };
}

/** The limits that a claim obeys. */
export function obeyedLimits(configured: QueueLimits, { limits, paused }: QueueSetting = asConfigured): QueueLimits {
  return { ...configured, ...limits, ...(paused && { concurrency: 0 }) };
}
