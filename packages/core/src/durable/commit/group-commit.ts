/**
 * Group commit: the commits of all runs at the end of one turn of the host are one transaction.
 *
 * While one is on its way, the next one collects changes.
 *
 * @module
 */
import { nextTurn } from "../../system/system.js";
import type { ObservedCommit, RuntimeObserver } from "../api/runtime-observer.types.js";
import type { CommitResult, RunCommit, RunStore } from "../store/run-store.types.js";

/** A run that may have something to store. */
export interface Committing {
  /** `true`: nobody waits for its commit, and the run may soon add to it. */
  readonly mayWait: boolean;
  /** The commit; `null` if there is nothing to store. */
  takeCommit(): RunCommit | null;
  onCommitted(result: CommitResult): void;
  /** The store could not take any of the commits. */
  onCommitFailed(error: unknown): void;
}

export class GroupCommit {
  readonly #store: Pick<RunStore, "commit">;
  readonly #observer: RuntimeObserver | null;
  #waiting: Committing[] = [];
  #scheduled = false;
  #idle: Promise<void> = Promise.resolve();
  #barriers: (() => void)[] = [];

  constructor(store: Pick<RunStore, "commit">, observer: RuntimeObserver | null = null) {
    this.#store = store;
    this.#observer = observer;
  }

  /** Asks `run` for its commit at the end of this turn. Called once per commit. */
  add(run: Committing): void {
    this.#waiting.push(run);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#idle = new Promise((resolve) => nextTurn(() => void this.#flush().then(resolve)));
  }

  /** Resolves when everything up to now is stored. */
  barrier(): Promise<void> {
    if (!this.#scheduled) return Promise.resolve();
    // The flush after the present one has all of it.
    return new Promise((resolve) => this.#barriers.push(resolve));
  }

  /** Resolves when there is nothing left to store. */
  async drain(): Promise<void> {
    while (this.#scheduled) await this.#idle;
  }

  async #flush(): Promise<void> {
    let waited: ReadonlySet<Committing> = new Set();
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting;
      const barriers = this.#barriers;
      this.#waiting = [];
      this.#barriers = [];
      const late = new Set<Committing>();
      const runs: Committing[] = [];
      const commits: RunCommit[] = [];
      for (const run of waiting) {
        // For one turn of the host: by then, a run at work has mostly come to its next ticks.
        if (run.mayWait && barriers.length === 0 && !waited.has(run)) {
          late.add(run);
          continue;
        }
        const commit = run.takeCommit();
        if (commit === null) continue;
        runs.push(run);
        commits.push(commit);
      }
      this.#waiting.push(...late);
      waited = late;
      if (commits.length > 0) await this.#commit(runs, commits);
      for (const resolve of barriers) resolve();
      // Commits that follow from the answers go into the next transaction, with all others of this turn of the host.
      await new Promise<void>(nextTurn);
    }
    this.#scheduled = false;
    for (const resolve of this.#barriers.splice(0)) resolve();
  }

  async #commit(runs: readonly Committing[], commits: readonly RunCommit[]): Promise<void> {
    const tell = this.#observer?.onCommit?.(observed(commits));
    const stored = await this.#store.commit(commits).then(
      (results) => ({ results }),
      (error: unknown) => ({ error }),
    );
    tell?.("results" in stored);
    if ("results" in stored)
      for (const [index, run] of runs.entries()) run.onCommitted(stored.results[index] ?? { status: "fenced" });
    else if (commits.length === 1) for (const run of runs) run.onCommitFailed(stored.error);
    // A commit that the store cannot take must not fail the others.
    else for (const [index, run] of runs.entries()) await this.#commit([run], [commits[index] as RunCommit]);
  }
}

function observed(commits: readonly RunCommit[]): ObservedCommit {
  let ticks = 0;
  let textLength = 0;
  for (const { create, ticks: batch, events, summary, snapshot, receipts, records, blobs } of commits) {
    if (batch !== undefined) ticks += batch.last - batch.first + 1;
    const texts = [create?.input, batch?.text, summary?.outcome, summary?.waiting, snapshot?.text];
    for (const text of texts) textLength += text?.length ?? 0;
    for (const { text } of [...(events ?? []), ...(records ?? []), ...(blobs ?? [])]) textLength += text?.length ?? 0;
    for (const { receipt } of receipts ?? []) textLength += receipt.length;
  }
  return { runs: commits.length, ticks, textLength };
}
