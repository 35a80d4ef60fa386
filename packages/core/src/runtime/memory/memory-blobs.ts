import { type BlobUse, blobUses } from "../store/blob-uses.js";
import type { RunCommit } from "../store/run-store.types.js";

/** Blobs that a run needs, by hash, and for how long. */
export type NeededBlobs = Map<string, Pick<BlobUse, "isForGood" | "tick" | "snapshot">>;

interface BlobOwner {
  readonly blobs: NeededBlobs;
}

/** Blobs that are in no commit yet: their texts are kept only so that equal texts get equal hashes. */
const maxUnstored = 1_000;

/** Shared by all stores of the process: a hash of one store means nothing in another. */
let lastHash = 0;

/**
 * Blobs of all runs, each stored once.
 *
 * No synchronous hash function without collisions is available, so a hash is the number of a text.
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

  /** Stores the blobs of a commit for its run. */
  keep(run: BlobOwner, commit: RunCommit): void {
    for (const { hash, text, isForGood, tick, snapshot } of blobUses(commit)) {
      const known = run.blobs.get(hash);
      if (known === undefined) this.#add(hash, text);
      run.blobs.set(hash, {
        isForGood: isForGood || known?.isForGood === true,
        tick: Math.max(tick, known?.tick ?? -1),
        snapshot: Math.max(snapshot, known?.snapshot ?? -1),
      });
    }
  }

  /** Drops blobs that only pruned ticks and snapshots named. */
  prune(run: BlobOwner, prune: NonNullable<RunCommit["prune"]>): void {
    for (const [hash, use] of run.blobs) {
      if (use.isForGood || use.tick > prune.ticks || use.snapshot >= prune.snapshots) continue;
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
