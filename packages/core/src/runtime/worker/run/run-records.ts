/**
 * Records that the steps of one run write: stored with the tick that ends their step, or not at all.
 *
 * A tick that is refused after it was stored must not have written anything. So one that writes is the first of its round, when
 * everything before it is decided; a conflict puts a `step.failed` in its place that counts for no failure.
 *
 * @module
 */
import { isCurrent } from "../../../engine/reduce/reduction.js";
import type { StepCompleted, StepFailed, Tick } from "../../../engine/tick.js";
import type { AttemptCore, LiveRun } from "../../../run/run.types.js";
import { recordError } from "../../../value/error-record.js";
import type { RecordKey } from "../../store/run-store.types.js";
import { recordConflict } from "../../text/record-text.js";
import { AttemptRecords, type RecordAccess } from "../commit/attempt-records.js";
import type { Commit, PendingRecords } from "../commit/commit.js";

/** How a tick is written into the journal. */
export interface EntryTexts {
  entryOf(runner: LiveRun, tick: Tick): string;
}

export class RunRecords {
  readonly #texts: EntryTexts;
  readonly #access: RecordAccess;
  readonly #ofAttempts: WeakMap<object, AttemptRecords> = new WeakMap();
  /** By the ticks that they are stored with. */
  readonly #submitted: Map<Tick, AttemptRecords> = new Map();
  /** Those in commits. */
  readonly #admitted: Set<AttemptRecords> = new Set();

  constructor(texts: EntryTexts, access: RecordAccess) {
    this.#texts = texts;
    this.#access = access;
  }

  of(attempt: AttemptCore): AttemptRecords {
    let records = this.#ofAttempts.get(attempt);
    if (records === undefined) this.#ofAttempts.set(attempt, (records = new AttemptRecords(attempt, this.#access)));
    return records;
  }

  prepare(runner: LiveRun, tick: Tick): void {
    if (!("item" in tick) || tick.item === null) return;
    const attempt = runner.attempts.get(tick.item);
    const records = attempt && this.#ofAttempts.get(attempt);
    if (records === undefined) return;
    if (suspends.has(tick.type)) records.giveUpTurns();
    else if (tick.type === "step.completed" && records.submit(tick.attempt)) this.#submitted.set(tick, records);
  }

  /** It waits for its commit, which another writer can refuse. */
  writesWith(tick: Tick): boolean {
    return this.#submitted.has(tick);
  }

  takeRound(runner: LiveRun, queue: Tick[]): Tick[] {
    if (this.#submitted.size === 0) return queue;
    const [first] = queue as [Tick];
    // What is due by then comes before it, and may end the step.
    if (this.#submitted.has(first) && (runner.state.timers?.first()?.dueAtMs ?? Infinity) <= first.atMs)
      return [{ type: "time.passed", atMs: first.atMs }];
    const next = queue.findIndex((tick, index) => index > 0 && this.#submitted.has(tick));
    return next < 0 ? queue : queue.splice(0, next);
  }

  /** A round goes into the commit. */
  admit(runner: LiveRun, round: Tick[], commit: Commit): void {
    const tick = round[0] as StepCompleted;
    const records = this.#submitted.get(tick);
    if (records === undefined) return;
    this.#submitted.delete(tick);
    const pending = { records, runner, round, entry: commit.entries.length };
    const item = runner.state.items.get(tick.item);
    if (runner.state.status !== "running" || !item || !isCurrent(item, tick.attempt)) records.settle();
    else if (commit.records.some((other) => other.records.writesAnyOf(records.writes))) refuse(pending);
    else {
      commit.records.push(pending);
      this.#admitted.add(records);
    }
  }

  stored(commit: Commit): void {
    for (const { records } of commit.records) this.#settle(records);
  }

  /** After a commit that was not stored: replaces the ticks of the steps that have to run again. */
  refuse(commit: Commit, conflicts: readonly RecordKey[]): void {
    for (const pending of commit.records.splice(0)) {
      if (!pending.records.writesAnyOf(conflicts)) {
        commit.records.push(pending);
        continue;
      }
      refuse(pending);
      this.#admitted.delete(pending.records);
      commit.entries[pending.entry] = this.#texts.entryOf(pending.runner, pending.round[0] as Tick);
    }
  }

  /** The run has left memory. */
  settleAll(): void {
    for (const records of [...this.#submitted.values(), ...this.#admitted]) this.#settle(records);
    this.#submitted.clear();
  }

  #settle(records: AttemptRecords): void {
    this.#admitted.delete(records);
    records.settle();
  }
}

/** The attempt waits for something that may need what it keeps. */
const suspends: ReadonlySet<Tick["type"]> = new Set([
  "wait.opened",
  "sleep.opened",
  "child.opened",
  "call.awaited",
  "effect.failed",
]);

function refuse({ records, round, runner }: PendingRecords): void {
  const [written] = round as [StepCompleted];
  const { atMs, item, attempt, elapsedMs } = written;
  const error = recordConflict(records.writes, "another writer was faster", "The step runs again by itself.");
  const failed: StepFailed = {
    type: "step.failed",
    atMs,
    item,
    attempt,
    error: recordError(error),
    retryAtMs: atMs,
    isRefused: true,
    ...(elapsedMs !== undefined && { elapsedMs }),
  };
  round[0] = failed;
  runner.onReplaced(written, failed);
  records.settle();
}
