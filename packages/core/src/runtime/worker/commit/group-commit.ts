/**
 * Group commit: the commits of all runs at the end of one turn of the host are one transaction.
 *
 * While one is on its way, the next one collects changes.
 *
 * @module
 */

import { WorkflowError } from "../../../errors/workflow-error.js";
import type { Clock } from "../../../host.js";
import { Deferred } from "../../../system/deferred.js";
import { nextTurn } from "../../../system/system.js";
import type { ObservedCommit, RuntimeObserver } from "../../api/runtime-options.types.js";
import type { CommitResult, RunCommit, RunStore } from "../../store/run-store.types.js";

/** A run that may have something to store. */
export interface Committing {
  /** `true` if no caller waits for its commit, and the run may soon add to it. */
  readonly mayWait: boolean;
  /** The commit; `null` if there is nothing to store. */
  takeCommit(): RunCommit | null;
  /** Resolves when it can be asked for its next commit; nothing when it can be asked at once. */
  onCommitted(result: CommitResult): void | Promise<void>;
  /** The store could not take any of the commits. */
  onCommitFailed(error: unknown): void;
}

/** The store takes nothing: each commit of a group would fail alike, after as long a wait. */
const ofTheStore: ReadonlySet<string> = new Set([
  "STORE_UNREACHABLE",
  "STORE_BUSY",
  "STORE_READ_ONLY",
  "STORE_CLOSED",
  "RUNTIME_STOPPED",
]);

/** Number of commits of one group that may each wait in vain for rows that others keep locked; the rest then goes together. */
const MAX_LOCKED = 3;

/** No more runs start while as many wait behind a transaction that the store has not answered for as long. */
const MAX_WAITING = 10_000;
const SLOW_MS = 5_000;

interface Group {
  readonly runs: readonly Committing[];
  readonly commits: readonly RunCommit[];
}

type Answer = { readonly results: readonly CommitResult[] } | { readonly error: unknown };

export interface GroupCommitSetup {
  readonly store: Pick<RunStore, "commit">;
  readonly clock: Clock;
  readonly observer?: RuntimeObserver | null;
}

export class GroupCommit {
  readonly #setup: GroupCommitSetup;
  #waiting: Committing[] = [];
  #scheduled = false;
  #idle: Promise<void> = Promise.resolve();
  #barriers: (() => void)[] = [];
  /** The transaction on its way. */
  #sent: { readonly atMs: number; readonly end: (answer: Answer) => void } | null = null;
  #limit: { readonly patienceMs: number; readonly error: unknown } | null = null;
  /** Set once a transaction took longer than the {@link limit}: from then on, nothing is stored. */
  isOver = false;
  #callOff: () => void = () => {};

  constructor(setup: GroupCommitSetup) {
    this.#setup = setup;
  }

  /** Milliseconds since the current transaction was sent; 0 if none is in flight. */
  get silentMs(): number {
    return this.#sent === null ? 0 : this.#setup.clock.now() - this.#sent.atMs;
  }

  /** `STORE_BUSY` while too much waits for a store that does not answer: existing runs continue, and no more are started. */
  whyBusy(): WorkflowError | null {
    const { silentMs } = this;
    const waiting = this.#waiting.length;
    if (waiting < MAX_WAITING || silentMs < SLOW_MS) return null;
    return new WorkflowError({
      code: "STORE_BUSY",
      message: `${waiting} runs wait for a store that has not answered for ${silentMs} ms: this process starts no more.`,
      hint: "Nothing of this start was stored. Start the run again later, with the same `runId`, and look at the store meanwhile.",
      details: { waiting, silentMs },
    });
  }

  /**
   * Limits all transactions, the current one included, to `patienceMs`. If one takes longer, everything that is not stored
   * fails with `error`, now and later. Used by a runtime that stops.
   */
  limit(patienceMs: number, error: unknown): void {
    this.#limit = { patienceMs, error };
    this.#arm();
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
        // An active run waits for one turn of the event loop: by then, it has mostly produced its next ticks.
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
      if (commits.length > 0) await this.#commit({ runs, commits });
      for (const resolve of barriers) resolve();
      // Commits that follow from the answers go into the next transaction, with all others of this turn of the host.
      await new Promise<void>(nextTurn);
    }
    this.#scheduled = false;
    for (const resolve of this.#barriers.splice(0)) resolve();
  }

  /** A commit that the store cannot take must not fail the others. */
  async #commit(group: Group): Promise<void> {
    let parts = [group];
    let locked = 0;
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const answer = await this.#send(part);
      if ("results" in answer) {
        const { results } = answer;
        const busy = part.runs.map((run, index) => run.onCommitted(results[index] ?? { status: "fenced" }));
        if (busy.some((work) => work instanceof Promise)) await this.#answered(Promise.all(busy).then(() => answer));
        continue;
      }
      const { error } = answer;
      if (!isOfOneRun(error)) return fail([part, ...parts], error);
      const isLocked = codeOf(error) === "STORE_BUSY";
      if (part.runs.length > 1 && (!isLocked || locked < MAX_LOCKED)) {
        parts.unshift(...split(part));
        continue;
      }
      fail([part], error);
      if (isLocked && ++locked >= MAX_LOCKED && parts.length > 1) parts = [joined(parts)];
    }
  }

  async #send({ commits }: Group): Promise<Answer> {
    const { store, observer } = this.#setup;
    if (this.isOver) return { error: this.#limit?.error };
    const onStored = observer?.onCommit?.(observed(commits));
    const given = await this.#answered(
      store.commit(commits).then(
        (results) => ({ results }),
        (error: unknown) => ({ error }),
      ),
    );
    onStored?.("results" in given);
    return given;
  }

  /** The answer of the store, or the error of the {@link limit}. */
  async #answered(work: Promise<Answer>): Promise<Answer> {
    const answer = new Deferred<Answer>();
    this.#sent = { atMs: this.#setup.clock.now(), end: answer.resolve };
    this.#arm();
    void work.then(answer.resolve);
    const given = await answer.promise;
    this.#sent = null;
    this.#callOff();
    return given;
  }

  #arm(): void {
    if (this.#limit === null || this.#sent === null) return;
    const { patienceMs, error } = this.#limit;
    const { clock } = this.#setup;
    this.#callOff();
    this.#callOff = clock.setTimer(clock.now() + patienceMs, () => {
      this.isOver = true;
      this.#sent?.end({ error });
    });
  }
}

/** Whether another commit of the group may be tried. A store reports `rows: true` if others keep some rows locked. */
function isOfOneRun(error: unknown): boolean {
  return !ofTheStore.has(codeOf(error) ?? "") || (error as WorkflowError).details["rows"] === true;
}

const codeOf = (error: unknown): string | null => (WorkflowError.is(error) ? error.code : null);

function fail(parts: readonly Group[], error: unknown): void {
  for (const { runs } of parts) for (const run of runs) run.onCommitFailed(error);
}

function split({ runs, commits }: Group): Group[] {
  return runs.map((run, index) => ({ runs: [run], commits: commits.slice(index, index + 1) }));
}

function joined(parts: readonly Group[]): Group {
  return { runs: parts.flatMap(({ runs }) => runs), commits: parts.flatMap(({ commits }) => commits) };
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
