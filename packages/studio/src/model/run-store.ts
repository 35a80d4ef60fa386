/**
 * One run as its page holds it: ticks, attempts, and the cursor that all views share.
 *
 * A new tick costs the same however many there are: it is appended, and what is read of it is worked out when it is shown.
 * The cursor is `null` while the page follows the run; a number is a tick that stays where it is.
 *
 * @module
 */

import type { HistoryEntry, RunAttempt, RunMoment } from "@millrace/client";
import { createStore, type Store } from "../store.js";
import { AttemptBook } from "./attempt-book.js";
import { Blame } from "./blame.js";
import { CallLabels } from "./call-labels.js";
import { Emitted } from "./emitted.js";
import { type Line, type LineFacts, lineOf } from "./log-entry-text.js";
import { MomentCache } from "./moment-cache.js";
import { lastUpTo } from "./numbers.js";
import { asNamed, type StepNaming } from "./step-names.js";
import { stateAfter } from "./travel.js";

export interface RunStoreOptions {
  readonly runId: string;
  /** Calls `notify` soon, at most once at a time: an animation frame of the page. */
  readonly schedule: (notify: () => void) => void;
}

export class RunStore {
  readonly runId: string;
  /** Rises with every change. */
  readonly version: Store<number> = createStore(0);
  readonly blame: Blame = new Blame();
  readonly emitted: Emitted = new Emitted();
  readonly attempts: AttemptBook = new AttemptBook();
  readonly moments: MomentCache = new MomentCache();
  readonly #entries: HistoryEntry[] = [];
  readonly #labels = new CallLabels();
  readonly #lines: (Line | undefined)[] = [];
  /** Numbers of ticks that are a failure or a question. */
  readonly #stops: number[] = [];
  readonly #schedule: RunStoreOptions["schedule"];
  #facts: LineFacts;
  #cursor: number | null = null;
  #held: number | null = null;
  #isScheduled = false;

  constructor({ runId, schedule }: RunStoreOptions) {
    this.runId = runId;
    this.#schedule = schedule;
    this.#facts = { runId, naming: asNamed, labels: this.#labels };
  }

  #changed(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(() => {
      this.#isScheduled = false;
      this.version.set(this.version.get() + 1);
    });
  }

  // ---- what comes in

  /** Ticks in their order; those that are known already are ignored, as a stream repeats some after it was cut. */
  append(entries: readonly HistoryEntry[]): void {
    for (const entry of entries) {
      if (entry.number <= (this.#entries.at(-1)?.number ?? -1)) continue;
      this.#entries.push(entry);
      this.#labels.record(entry);
      if (entry.runId === this.runId) {
        this.emitted.record(entry);
        this.blame.record(entry.number, entry.changes ?? []);
      }
      this.#noteStop(this.#entries.length - 1);
    }
    this.#changed();
  }

  #noteStop(index: number): void {
    const { isFailure, isQuestion } = this.lineAt(index);
    if (isFailure || isQuestion) this.#stops.push((this.#entries[index] as HistoryEntry).number);
  }

  putAttempts(attempts: readonly RunAttempt[]): void {
    if (this.attempts.put(attempts)) this.#changed();
  }

  putMoment(moment: RunMoment): void {
    this.moments.put(moment);
    this.#changed();
  }

  setNaming(naming: StepNaming, isPipeline: boolean): void {
    this.#facts = { ...this.#facts, naming, isPipeline };
    this.#lines.length = 0;
    this.#stops.length = 0;
    for (const index of this.#entries.keys()) this.#noteStop(index);
    this.#changed();
  }

  // ---- the cursor

  /** The tick that all views show. */
  get tick(): number {
    return Math.min(this.#held ?? this.#cursor ?? this.last, this.last);
  }

  get isLive(): boolean {
    return this.#held === null && this.#cursor === null;
  }

  /** The newest tick is where the page follows the run. */
  goTo(number: number): void {
    const aimed = Math.max(this.first, Math.min(number, this.last));
    const cursor = aimed === this.last ? null : (this.#entries[this.indexOf(aimed)]?.number ?? null);
    if (cursor === this.#cursor) return;
    this.#cursor = cursor;
    this.#changed();
  }

  /** Stays where it is, also at the newest tick, until it is released: then the page is where it was, or follows the run again. */
  hold(): void {
    this.#held = this.tick;
    this.#changed();
  }

  release(): void {
    this.#held = null;
    this.#changed();
  }

  /** The next failure or question in that direction. */
  nextStop(direction: 1 | -1): number | null {
    const at = lastUpTo(this.#stops, direction === 1 ? this.tick : this.tick - 1, (number) => number);
    return this.#stops[direction === 1 ? at + 1 : at] ?? null;
  }

  // ---- what is known

  get entries(): readonly HistoryEntry[] {
    return this.#entries;
  }

  get first(): number {
    return this.#entries[0]?.number ?? 0;
  }

  get last(): number {
    return this.#entries.at(-1)?.number ?? 0;
  }

  /** Place of the last tick up to `number`; -1 before the first. */
  indexOf(number: number): number {
    return lastUpTo(this.#entries, number, (entry) => entry.number);
  }

  /** Other facts, other sentences. */
  get facts(): LineFacts {
    return this.#facts;
  }

  lineAt(index: number): Line {
    const known = this.#lines[index];
    if (known !== undefined) return known;
    const line = lineOf(this.#entries[index] as HistoryEntry, this.#facts);
    this.#lines[index] = line;
    return line;
  }

  /** The state at the cursor: what the server said, or what the changes make of the nearest that it said. */
  stateAt(number: number): unknown {
    const known = this.moments.get(number);
    if (known !== undefined) return known.state;
    const near = this.moments.nearest(number);
    if (near === undefined) return undefined;
    return stateAfter(this.#entries, { from: near.number, state: near.state, to: number, runId: this.runId });
  }
}
