import type { RunCommit } from "./run-store.types.js";

type Blob = NonNullable<RunCommit["blobs"]>[number];

/** How long a run needs a blob of a commit. */
export interface BlobUse extends Blob {
  /** `true`: needed as long as the run, because a permanent text names it, or no text visibly does. */
  readonly isForGood: boolean;
  /** Needed until this tick, and the snapshot of this tick, are pruned; -1 if no tick or snapshot of the commit names it. */
  readonly tick: number;
  readonly snapshot: number;
}

/** Finds out for every blob of a commit which texts name it: stores keep a blob as long as one of them. */
export function blobUses({ blobs = [], ...commit }: RunCommit): BlobUse[] {
  if (blobs.length === 0) return [];
  const { ticks, snapshot, create, summary, events = [], receipts = [] } = commit;
  const byTicks = named([ticks?.text], blobs);
  const bySnapshot = named([snapshot?.text], blobs);
  const forGood = [create?.code, create?.input, summary?.outcome, summary?.waiting];
  for (const { text } of events) forGood.push(text);
  for (const { receipt } of receipts) forGood.push(receipt);
  const byRun = named(forGood, blobs);
  return blobs.map(({ hash, text }) => {
    const isPruned = byTicks.has(hash) || bySnapshot.has(hash);
    return {
      hash,
      text,
      isForGood: byRun.has(hash) || !isPruned,
      tick: byTicks.has(hash) && ticks ? ticks.last : -1,
      snapshot: bySnapshot.has(hash) && snapshot ? snapshot.tick : -1,
    };
  });
}

/** Hashes of the blobs that the texts name, directly or through other blobs. */
function named(texts: readonly (string | null | undefined)[], blobs: readonly Blob[]): ReadonlySet<string> {
  const found = new Set<string>();
  const rest = texts.filter((text) => typeof text === "string");
  for (const text of rest) {
    for (const blob of blobs) {
      if (found.has(blob.hash) || !text.includes(blob.hash)) continue;
      found.add(blob.hash);
      rest.push(blob.text);
    }
  }
  return found;
}
