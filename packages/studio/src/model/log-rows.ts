/** Ticks that the log shows: places in the store. New ticks are tried one by one, so a long log stays cheap. */
import type { HistoryEntry } from "@millrace/client";
import type { LineKind } from "./log-entry-text.js";
import type { RunStore } from "./run-store.js";
import { continues } from "./stream-fold.js";

export interface LogFilter {
  readonly kind: LineKind | "all" | "failures";
  readonly step: string | null;
  readonly text: string;
  readonly showsHousekeeping: boolean;
}

export const everything: LogFilter = { kind: "all", step: null, text: "", showsHousekeeping: false };

export type LogCounts = Readonly<Record<LineKind | "failures", number>>;

export class LogRows {
  readonly #store: RunStore;
  readonly #filter: LogFilter;
  readonly #rows: number[] = [];
  /** Of rows with several ticks of a stream. */
  readonly #ends = new Map<number, number>();
  readonly #counts = { steps: 0, events: 0, state: 0, stream: 0, housekeeping: 0, failures: 0 };
  #seen = 0;

  constructor(store: RunStore, filter: LogFilter) {
    this.#store = store;
    this.#filter = { ...filter, text: filter.text.trim().toLowerCase() };
  }

  /** Reads on to the newest tick. */
  update(): this {
    for (; this.#seen < this.#store.entries.length; this.#seen++) {
      const { kind, isFailure } = this.#store.lineAt(this.#seen);
      this.#counts[kind]++;
      if (isFailure) this.#counts.failures++;
      if (!this.#shows(this.#seen)) continue;
      if (kind === "stream" && this.#isMore(this.#seen)) this.#ends.set(this.#rows.at(-1) as number, this.#seen);
      else this.#rows.push(this.#seen);
    }
    return this;
  }

  /** The last tick that a row shows: that of the row, or of the stream that it began. */
  endOf(row: number): number {
    return this.#ends.get(row) ?? row;
  }

  /** Whether it continues the stream of the last row, with nothing shown in between. */
  #isMore(index: number): boolean {
    const last = this.#rows.at(-1);
    if (last === undefined || this.#store.lineAt(last).kind !== "stream") return false;
    return continues(this.#store.entries[last], this.#store.entries[index]);
  }

  /** Places in `store.entries`: of a stream, that of its first tick. */
  get rows(): readonly number[] {
    return this.#rows;
  }

  /** Number of all ticks, shown or not. */
  get counts(): LogCounts {
    return this.#counts;
  }

  #shownAs(entry: HistoryEntry | undefined): string | null {
    if (entry === undefined || entry.step === null) return null;
    return this.#store.facts.naming(entry.step, entry.runId).owner;
  }

  #shows(index: number): boolean {
    const { kind, step, text, showsHousekeeping } = this.#filter;
    const entry = this.#store.entries[index];
    const line = this.#store.lineAt(index);
    if (line.kind === "housekeeping" && !showsHousekeeping) return false;
    if (kind === "failures" ? !line.isFailure : kind !== "all" && line.kind !== kind) return false;
    if (step !== null && this.#shownAs(entry) !== step) return false;
    if (text === "") return true;
    const words = `${line.text} ${line.event ?? ""} ${line.message ?? ""} ${JSON.stringify(entry?.tick)}`;
    return words.toLowerCase().includes(text);
  }
}
