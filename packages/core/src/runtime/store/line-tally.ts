import { earliest } from "./queue-policy.js";
import type { LineCounts, StoredLine } from "./run-store.types.js";

type Counts = { -readonly [Name in keyof LineCounts]: LineCounts[Name] };

/** Adds up the line of a queue by key. */
export class LineTally {
  readonly #nowMs: number;
  readonly #byKey: Map<string, Counts> = new Map();

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  get byKey(): ReadonlyMap<string, LineCounts> {
    return this.#byKey;
  }

  /** @param more Left out: none. `oldestAtMs` of a post from a clock that is ahead counts as now. */
  add(key: string, { waiting = 0, placed = 0, oldestAtMs = null }: Partial<LineCounts>): void {
    const counts = this.#byKey.get(key) ?? { waiting: 0, placed: 0, oldestAtMs: null };
    this.#byKey.set(key, counts);
    counts.waiting += waiting;
    counts.placed += placed;
    const sinceMs = oldestAtMs === null ? null : Math.min(this.#nowMs, oldestAtMs);
    counts.oldestAtMs = earliest([counts.oldestAtMs, sinceMs]);
  }

  /** The sums, and at most so many keys. */
  toLine(keys: number): Omit<StoredLine, "ahead"> {
    const all = [...this.#byKey].map(([key, counts]) => ({ key, ...counts }));
    return {
      waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
      placed: all.reduce((sum, { placed }) => sum + placed, 0),
      oldestAtMs: earliest(all.map(({ oldestAtMs }) => oldestAtMs)),
      keys: all.sort(longestFirst).slice(0, keys),
    };
  }
}

type KeyCounts = StoredLine["keys"][number];

function longestFirst(one: KeyCounts, other: KeyCounts): number {
  return other.waiting - one.waiting || other.placed - one.placed || (one.key < other.key ? -1 : 1);
}
