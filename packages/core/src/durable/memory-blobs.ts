import type { RunCommit } from "./run-store.types.js";

/** Until when a run needs a blob: as long as it exists, or until ticks and snapshots up to these are gone. */
export interface BlobUse {
  always: boolean;
  tick: number;
  snapshot: number;
}

/** A run, by what it needs. */
interface BlobOwner {
  readonly blobs: Map<string, BlobUse>;
}

/** Hashed but in no commit yet: their texts are kept only so that the same text gives the same hash. */
const maxUnstored = 1_000;

/** Of all stores of the process: a hash of one store means nothing else in another. */
let lastHash = 0;

/**
 * Blobs of all runs, each stored once.
 *
 * Nothing synchronous at hand resists collisions, so a hash is a number that was given to a text: no two texts share one.
 */
export class MemoryBlobs {
  readonly #blobs = new Map<string, { readonly text: string; runs: number }>();
  readonly #hashes = new Map<string, string>();
  readonly #unstored = new Set<string>();

  hash(text: string): string {
    const known = this.#hashes.get(text);
    if (known !== undefined) return known;
    const hash = `m${++lastHash}_`; // with an end mark: none is a part of another
    this.#hashes.set(text, hash);
    this.#unstored.add(text);
    const [oldest] = this.#unstored;
    if (this.#unstored.size > maxUnstored && oldest !== undefined) this.#forgetText(oldest);
    return hash;
  }

  get(hash: string): string | null {
    return this.#blobs.get(hash)?.text ?? null;
  }

  /** Keeps the blobs of a commit for its run. */
  keep(run: BlobOwner, commit: RunCommit): void {
    const { blobs = [] } = commit;
    if (blobs.length === 0) return;
    const naming = namingOf(commit, blobs);
    for (const { hash, text } of blobs) {
      let use = run.blobs.get(hash);
      if (use === undefined) {
        use = { always: false, tick: 0, snapshot: -1 };
        run.blobs.set(hash, use);
        this.#add(hash, text);
      }
      note(use, hash, naming);
    }
  }

  /** Drops what only ticks and snapshots named that are gone. */
  prune(run: BlobOwner, prune: NonNullable<RunCommit["prune"]>): void {
    for (const [hash, use] of run.blobs) {
      if (use.always || use.tick > prune.ticks || use.snapshot >= prune.snapshots) continue;
      run.blobs.delete(hash);
      this.#drop(hash);
    }
  }

  release(run: BlobOwner): void {
    for (const hash of run.blobs.keys()) this.#drop(hash);
    run.blobs.clear();
  }

  #add(hash: string, text: string): void {
    const blob = this.#blobs.get(hash);
    if (blob !== undefined) {
      blob.runs++;
      return;
    }
    this.#blobs.set(hash, { text, runs: 1 });
    this.#hashes.set(text, hash);
    this.#unstored.delete(text);
  }

  #drop(hash: string): void {
    const blob = this.#blobs.get(hash);
    if (blob === undefined || --blob.runs > 0) return;
    this.#blobs.delete(hash);
    if (this.#hashes.get(blob.text) === hash) this.#forgetText(blob.text);
  }

  #forgetText(text: string): void {
    this.#hashes.delete(text);
    this.#unstored.delete(text);
  }
}

type Blobs = NonNullable<RunCommit["blobs"]>;

/** Which blobs the texts of a commit name. */
interface Naming {
  readonly tick: number;
  readonly byTicks: ReadonlySet<string>;
  readonly snapshot: number;
  readonly bySnapshot: ReadonlySet<string>;
  /** By texts that stay as long as the run. */
  readonly forGood: ReadonlySet<string>;
}

function namingOf(commit: RunCommit, blobs: Blobs): Naming {
  const { ticks, snapshot, create, summary, events = [], receipts = [] } = commit;
  const forGood = [create?.code, create?.input, summary?.outcome, summary?.waiting];
  for (const event of events) forGood.push(event.text);
  for (const { receipt } of receipts) forGood.push(receipt);
  return {
    tick: ticks?.last ?? 0,
    byTicks: named([ticks?.text], blobs),
    snapshot: snapshot?.tick ?? -1,
    bySnapshot: named([snapshot?.text], blobs),
    forGood: named(forGood, blobs),
  };
}

/** Those that the texts name, and those that these name in turn. */
function named(texts: readonly (string | null | undefined)[], blobs: Blobs): Set<string> {
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

/** A blob is needed as long as what names it. One that nothing visibly names is needed as long as the run. */
function note(use: BlobUse, hash: string, { tick, byTicks, snapshot, bySnapshot, forGood }: Naming): void {
  const isByTicks = byTicks.has(hash);
  const isBySnapshot = bySnapshot.has(hash);
  if (isByTicks) use.tick = Math.max(use.tick, tick);
  if (isBySnapshot) use.snapshot = Math.max(use.snapshot, snapshot);
  if (forGood.has(hash) || (!isByTicks && !isBySnapshot)) use.always = true;
}
