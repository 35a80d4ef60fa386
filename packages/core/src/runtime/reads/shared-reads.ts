/**
 * Reads that callers of one process share: watchers of runs, reads at the same time, and cached streams.
 *
 * @module
 */

import { type Clock, type Outcome, type StreamedEvent, terminalEvent, type WorkflowEvent } from "../../host.js";
import { countWhile } from "../memory/memory-run.js";
import { assertHere, idOf, storedRun } from "../store/run-key.js";
import type { RunChange, RunKey, RunStore, StoredEvent, StoredRun } from "../store/run-store.types.js";
import { runtimeStopped } from "../store/store-kit.js";
import { unpackText } from "../text/blob-text.js";
import { readShown } from "../text/journal-text.js";
import { blobOf } from "../worker/load/load.js";
import type { RegisteredWorkflow, RegisteredWorkflows } from "../worker/workflows/registered-workflows.js";

/** Called at a change of a run. @param change Left out: any change. */
type RunWatcher = (change: RunChange | undefined) => unknown;

export interface ChangeOptions {
  /** Makes it look again. Called with a function that does so. */
  readonly wake?: (again: () => void) => void;
  /** Called after a look that found nothing: sets a timer for the next one, and returns the function that cancels it. */
  readonly timer?: (again: () => void) => () => void;
  /** Asked at every change of the run: `true`, there is nothing to see in it yet. @param change Left out: any change. */
  readonly isEarly?: (change: RunChange | undefined) => boolean;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** Who waits for a change of which run. */
export class RunWatchers {
  readonly #clock: Clock;
  readonly #byRun: Map<string, Set<RunWatcher>> = new Map();
  readonly #looks: Set<Promise<unknown>> = new Set();
  /** Number of changes reported so far. */
  changes = 0;
  /** `true` when no run is in memory, and none will be: no change is reported any more. */
  isOver = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Calls `look` until it returns a value: now, after every change of the run, and a last time when the runtime has stopped. No
   * change that comes during a look is missed. Meanwhile the process stays alive.
   *
   * @param id {@link idOf} the run.
   * @throws the reason of `signal`.
   * @throws {WorkflowError} `RUNTIME_STOPPED`
   */
  async until<Value>(
    id: string,
    look: () => Promise<Value | undefined>,
    { wake, timer, isEarly, signal }: ChangeOptions = {},
  ): Promise<Value> {
    let changed = false;
    let resume: () => void = () => {};
    const again = (): void => {
      changed = true;
      resume();
    };
    const letEnd = this.#clock.keepAlive?.();
    wake?.(again);
    signal?.addEventListener("abort", again);
    const stop = this.#add(id, (change) => isEarly?.(change) === true || again());
    try {
      for (;;) {
        signal?.throwIfAborted();
        changed = false;
        const { isOver } = this;
        const found = await this.#track(look());
        if (found !== undefined) return found;
        if (isOver) throw runtimeStopped(); // no change would be reported any more
        if (changed) continue; // during the look
        const callOff = timer?.(again);
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
        callOff?.();
      }
    } finally {
      stop();
      letEnd?.();
      signal?.removeEventListener("abort", again);
    }
  }

  /** Returns a function that removes the watcher. The result of the watcher is not used. */
  #add(id: string, watcher: RunWatcher): () => void {
    const all = this.#byRun.get(id) ?? new Set();
    this.#byRun.set(id, all);
    all.add(watcher);
    return () => {
      all.delete(watcher);
      if (all.size === 0) this.#byRun.delete(id);
    };
  }

  /** Tracks a look until it settles. */
  #track<Found>(look: Promise<Found>): Promise<Found> {
    this.#looks.add(look);
    const forget = (): void => void this.#looks.delete(look);
    look.then(forget, forget);
    return look;
  }

  /** Resolves when all looks after the last report have ended. */
  async settled(): Promise<void> {
    await null; // they look in the next microtask
    await Promise.allSettled(this.#looks);
  }

  has(id: string): boolean {
    return this.#byRun.has(id);
  }

  /** @param id Null: any run may have changed. */
  notify(id: string | null, change?: RunChange): void {
    this.changes++;
    const watching = id === null ? this.#byRun.values() : [this.#byRun.get(id) ?? noWatchers];
    for (const all of watching) for (const watcher of all) watcher(change); // none of them adds or removes one at once
  }

  /** Called when no run is in memory, and none will be. */
  end(): void {
    this.isOver = true;
    this.notify(null);
  }
}

const noWatchers: readonly never[] = [];

interface Reading {
  /** The number of changes known when the read began. */
  readonly changes: number;
  readonly value: Promise<unknown>;
}

/**
 * One read for all who want the same at the same time.
 *
 * A read that starts after a change never shares a read from before it, so a reader sees the change that it was notified of.
 */
export class SharedReads {
  readonly #watchers: RunWatchers;
  readonly #readings: Map<string, Reading> = new Map();

  constructor(watchers: RunWatchers) {
    this.#watchers = watchers;
  }

  get<Value>(what: string, read: () => Promise<Value>): Promise<Value> {
    const { changes } = this.#watchers;
    const known = this.#readings.get(what);
    if (known?.changes === changes) return known.value as Promise<Value>;
    const value = read();
    const reading: Reading = { changes, value };
    this.#readings.set(what, reading);
    const forget = (): void => {
      if (this.#readings.get(what) === reading) this.#readings.delete(what);
    };
    value.then(forget, forget);
    return value;
  }
}

// ---- the streams of runs as they were read last
// An event is read and decoded once, however many readers of this process wait for it. The cached part of a stream has no gap. It
// never changes, as long as the run is the same.

/** How many events are read at once. */
const PAGE = 200;
/** Number of runs of which events are kept; of each, so many events and characters. */
const RUNS = 64;
const EVENTS = 1_000;
const CHARACTERS = 1_000_000;

export interface StreamPage {
  readonly items: readonly StreamedEvent[];
  /** `true` if nothing comes after it. */
  readonly isLast: boolean;
}

/** The source of the streams, and other readers in this process. */
export interface StoredRuns {
  readonly store: RunStore;
  readonly workflows: RegisteredWorkflows;
  readonly reads: SharedReads;
  storedOutcome(run: StoredRun): Outcome | null;
}

export class StreamCache {
  readonly #runs: StoredRuns;
  /** The one that was used last is last. */
  readonly #streams: Map<string, CachedStream> = new Map();

  constructor(runs: StoredRuns) {
    this.#runs = runs;
  }

  /**
   * Returns the events after a number; `undefined` if there are none yet.
   *
   * @param isFirst Whether it is the reader's first read: then the store is asked, because the run may be another one with
   * the same id. @throws {WorkflowError} `RUN_UNKNOWN`
   */
  async read(key: RunKey, after: number, isFirst: boolean): Promise<StreamPage | undefined> {
    const { reads } = this.#runs;
    const id = idOf(key);
    const kept = isFirst ? null : this.#of(id).after(after);
    return kept ?? reads.get(`events after ${after} of ${id}`, () => this.#load(key, after));
  }

  async #load(key: RunKey, after: number): Promise<StreamPage | undefined> {
    const { store, workflows } = this.#runs;
    // The order matters: events that the run showed before its end are stored before its end.
    const run = await storedRun(store, key);
    const events = await store.events(key, { after, limit: PAGE });
    if (events.length === 0) {
      if (run.outcome !== null) return this.#end(run, after);
      assertHere(run);
      return undefined;
    }
    const workflow = workflows.get(run.workflow);
    const read = await Promise.all(events.map((event) => this.#shown(key, event, workflow)));
    this.#of(idOf(key)).keep(run.createdAtMs, after, read);
    return { items: read.map(({ item }) => item), isLast: false };
  }

  #of(id: string): CachedStream {
    const stream = this.#streams.get(id) ?? new CachedStream();
    this.#streams.delete(id);
    this.#streams.set(id, stream);
    if (this.#streams.size > RUNS) this.#streams.delete(this.#streams.keys().next().value as string);
    return stream;
  }

  async #shown(key: RunKey, { sequence, text }: StoredEvent, { compiled }: RegisteredWorkflow): Promise<Read> {
    const { store } = this.#runs;
    const who = `event ${sequence} of run "${key.runId}"`;
    const whole = await unpackText(text, (hash) => blobOf(store, hash, who));
    return { item: { sequence, ...readShown(whole, compiled, who) }, characters: whole.length };
  }

  #end(run: StoredRun, after: number): StreamPage {
    const outcome = this.#runs.storedOutcome(run);
    const sequence = run.lastEvent + 1;
    const event = outcome === null ? null : (terminalEvent(outcome) as WorkflowEvent);
    const items = event === null || after >= sequence ? [] : [{ sequence, event, origin: null, promptId: null }];
    return { items, isLast: true };
  }
}

interface Read {
  readonly item: StreamedEvent;
  readonly characters: number;
}

/** Cached events after number `#from`, up to the last one that is kept. */
class CachedStream {
  #createdAtMs = Number.NaN;
  #from = Number.NaN;
  #kept: Read[] = [];
  #characters = 0;

  /** Returns the events after a number; `null` if they are not cached. */
  after(number: number): StreamPage | null {
    const last = this.#kept.at(-1);
    if (last === undefined || !(number >= this.#from && number < last.item.sequence)) return null;
    const start = countWhile(this.#kept, ({ item }) => item.sequence <= number);
    return { items: this.#kept.slice(start, start + PAGE).map(({ item }) => item), isLast: false };
  }

  keep(createdAtMs: number, after: number, read: readonly Read[]): void {
    const last = this.#kept.at(-1)?.item.sequence ?? Number.NEGATIVE_INFINITY;
    const isSame = createdAtMs === this.#createdAtMs;
    if (isSame && after < last) return; // of one who is behind
    if (!isSame || after !== last) {
      this.#createdAtMs = createdAtMs;
      this.#from = after;
      this.#kept = [];
      this.#characters = 0;
    }
    this.#kept.push(...read);
    for (const { characters } of read) this.#characters += characters;
    this.#drop();
  }

  #drop(): void {
    let count = 0;
    while (this.#kept.length - count > EVENTS || this.#characters > CHARACTERS) {
      const dropped = this.#kept[count++];
      if (dropped === undefined) break;
      this.#from = dropped.item.sequence;
      this.#characters -= dropped.characters;
    }
    this.#kept.splice(0, count);
  }
}
