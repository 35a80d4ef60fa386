/**
 * Records that the steps of one run update: stored with the tick that ends their step, or not at all.
 *
 * A tick that the engine ignores must not have written anything. So a tick with updates is the first of its round, when everything
 * before it is decided.
 *
 * @module
 */
import { type AttemptCore, isCurrent, type LiveRun, type StepCompleted, type Tick } from "../../../host.js";
import { AttemptRecords, type RecordAccess } from "../commit/attempt-records.js";
import type { Commit } from "../commit/commit.js";

export class RunRecords {
  readonly #access: RecordAccess;
  readonly #ofAttempts: WeakMap<object, AttemptRecords> = new WeakMap();
  /** By the ticks that they are stored with. */
  readonly #submitted: Map<Tick, AttemptRecords> = new Map();

  constructor(access: RecordAccess) {
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
    if (suspends.has(tick.type)) records.suspend();
    else if (tick.type === "step.completed" && records.submit(tick.attempt)) this.#submitted.set(tick, records);
  }

  /** Adds the updates of the round to the commit. Ticks that have to wait for what is before them go into the next round. */
  admit(runner: LiveRun, round: Tick[], commit: Commit): void {
    if (this.#submitted.size === 0) return;
    const [first] = round as [StepCompleted];
    const records = this.#submitted.get(first);
    // What is due by then comes before it, and may end the step.
    const isLate = records !== undefined && (runner.state.timers?.first()?.dueAtMs ?? Infinity) <= first.atMs;
    const next = isLate ? 0 : round.findIndex((tick, index) => index > 0 && this.#submitted.has(tick));
    const later = next < 0 ? [] : round.splice(next);
    if (isLate) round.push({ type: "time.passed", atMs: first.atMs });
    for (const tick of later) runner.submit(tick);
    if (records === undefined || isLate) return;
    this.#submitted.delete(first);
    const item = runner.state.items.get(first.item);
    if (runner.state.status === "running" && item && isCurrent(item, first.attempt)) commit.updates.add(records);
    else records.settle();
  }

  /** The run has left memory. */
  settle(): void {
    for (const records of this.#submitted.values()) records.settle();
    this.#submitted.clear();
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
