/**
 * Decides which runs of a queue get a place, for all stores.
 *
 * Pure. A store reads a window of its rows under a lock, asks {@link choosePlaces}, and writes the answer. Keys take turns:
 * the first key with room starts one run and goes to the end of the line. A rate counts only the first place of a run.
 *
 * @module
 */

import type { LineCounts, QueueLimits, StoredLine } from "./run-store.types.js";

/** A run that wants a place. */
export interface RunInLine {
  /** `true` if it does not count against the rate. */
  readonly hadPlace: boolean;
}

/** The runs of one key that want a place, in the order in which they get one. */
export interface KeyLine<Run extends RunInLine> {
  readonly key: string;
  /** How many runs of the key have a place. */
  readonly held: number;
  /** Read only as far as the choice needs. */
  readonly runs: Iterable<Run>;
  /** `false` if more runs may follow that were not read. */
  readonly isWhole: boolean;
}

/** A queue as a store has read it. */
export interface QueueWindow<Run extends RunInLine> {
  /** How many runs of the queue have a place. */
  readonly held: number;
  /** How many first places the present window of the rate has seen; 0 without a rate. */
  readonly starts: number;
  /** Keys in the order of their turns. A key at its limit and a key without runs may be left out. */
  readonly lines: Iterable<KeyLine<Run>>;
  /** `false` if more keys may follow that were not read. */
  readonly isWhole: boolean;
}

export interface ChosenPlaces<Run extends RunInLine> {
  /** Runs in the order in which they get their places. */
  readonly runs: readonly Run[];
  /** The keys whose run was chosen: they go to the end of the line, in this order. */
  readonly served: readonly string[];
  /** `false` if the next choice needs rows that were not read. Write this one and read again. */
  readonly isDone: boolean;
}

/** Returns how many runs may get a place, whatever their keys and the rate are. */
export function freePlaces({ concurrency }: QueueLimits, held: number, limit: number): number {
  return Math.max(0, Math.min(limit, (concurrency ?? Number.POSITIVE_INFINITY) - held));
}

/** Whether a run may get its first place. A store then reads all runs in line, else only those that had a place. */
export function mayStart({ rate }: QueueLimits, starts: number): boolean {
  return rate === null || starts < rate.limit;
}

export function choosePlaces<Run extends RunInLine>(
  limits: QueueLimits,
  window: QueueWindow<Run>,
  limit: number,
): ChosenPlaces<Run> {
  const free = freePlaces(limits, window.held, limit);
  let { starts } = window;
  const chosen: Run[] = [];
  const served = new Set<string>();
  const answer = (isDone: boolean): ChosenPlaces<Run> => ({ runs: chosen, served: [...served], isDone });
  const ring: OpenLine<Run>[] = [];
  if (free === 0) return answer(true);
  for (const line of inTurn(window.lines, ring)) {
    if (served.has(line.key) && !window.isWhole) return answer(false);
    if (limits.perKey !== null && line.held >= limits.perKey) continue;
    const run = nextOf(line.rest, mayStart(limits, starts));
    if (run === undefined && !line.isWhole) return answer(false);
    if (run === undefined) continue;
    if (!run.hadPlace) starts++;
    line.held++;
    chosen.push(run);
    served.delete(line.key);
    served.add(line.key);
    ring.push(line);
    if (chosen.length >= free) return answer(true);
  }
  return answer(window.isWhole);
}

interface OpenLine<Run> {
  readonly key: string;
  readonly isWhole: boolean;
  readonly rest: Iterator<Run, unknown>;
  held: number;
}

/** A key that was served comes again: it was added to the ring. */
function* inTurn<Run extends RunInLine>(
  lines: Iterable<KeyLine<Run>>,
  ring: OpenLine<Run>[],
): Generator<OpenLine<Run>> {
  for (const { key, held, runs, isWhole } of lines) yield { key, held, isWhole, rest: runs[Symbol.iterator]() };
  yield* ring;
}

/** Skipped runs get no later chance: a choice never gets starts back. */
function nextOf<Run extends RunInLine>(runs: Iterator<Run, unknown>, isAny: boolean): Run | undefined {
  for (let next = runs.next(); next.done !== true; next = runs.next())
    if (isAny || next.value.hadPlace) return next.value;
  return undefined;
}

/**
 * Returns how many runs get a place before the run at `rank` in the line of its key, if every key has room.
 *
 * @param earlier Lengths of the lines whose turn comes before that of its key.
 * @param later Lengths of the other lines.
 */
export function aheadOf(rank: number, earlier: readonly number[], later: readonly number[]): number {
  const ofLater = later.reduce((sum, length) => sum + Math.min(length, rank), rank);
  return earlier.reduce((sum, length) => sum + Math.min(length, rank + 1), ofLater);
}

/** Facts that decide when a queue has the next free place. A time is `null` if there is none. */
export interface QueueOutlook {
  readonly held: number;
  /** When the next run begins to want a place. */
  readonly laterAtMs: number | null;
  /** When the first run in line whose key has room began to wait, and the first of those that had a place. */
  readonly firstAtMs: number | null;
  readonly againAtMs: number | null;
  /** When the rate allows the next run; `null` for a rate that is not used up. */
  readonly opensAtMs: number | null;
}

/** Returns when the next run wants a place and can get one. */
export function nextPlaceAtMs(limits: QueueLimits, outlook: QueueOutlook): number | null {
  const { held, laterAtMs, firstAtMs, againAtMs, opensAtMs } = outlook;
  if (freePlaces(limits, held, 1) === 0) return null;
  const startAtMs = firstAtMs === null ? null : Math.max(firstAtMs, opensAtMs ?? firstAtMs);
  return earliest([laterAtMs, startAtMs, againAtMs]);
}

export function earliest(times: readonly (number | null)[]): number | null {
  let first: number | null = null;
  for (const atMs of times) if (atMs !== null && (first === null || atMs < first)) first = atMs;
  return first;
}

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
