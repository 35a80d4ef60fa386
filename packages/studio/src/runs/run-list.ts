/**
 * The runs that match a filter, newest first: page by page while a person scrolls, and kept up to date by the server.
 *
 * New runs are held back while a person reads further down, so that nothing moves under the pointer; changes are shown at once.
 *
 * @module
 */
import type { ClientError, RunPage, RunSummary } from "@millrace/client";
import { client, toClientError } from "../api/client.js";
import { onRunChanges } from "../api/run-changes.js";
import { isOfFailure, isOfInput, letsThrough, type RunFilter, selectionOf } from "../model/run-filter.js";
import { createStore, type Store } from "../store.js";

export interface RunListView {
  readonly runs: readonly RunSummary[];
  /** New runs that are held back. */
  readonly held: number;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly error: ClientError | null;
}

const PAGE = 100;
/** A page of a search may have few runs, or none, and more behind it: it is read on until there is something to look at. */
const ENOUGH = 40;
/** The largest page of a server. */
const MOST = 1_000;
/** Hundreds of runs may change in a second: they are shown together. */
const TOGETHER_MS = 100;
/** A list of runs with a value of the input is read again so long after another run has begun. */
const ASKED_MS = 1_000;

const empty: RunListView = { runs: [], held: 0, hasMore: false, isLoading: true, error: null };

export class RunList {
  readonly view: Store<RunListView> = createStore(empty);
  readonly #selection: ReturnType<typeof selectionOf>;
  readonly #filter: RunFilter;
  /** Number of runs to read at first. */
  #wanted: number;
  /** What `2h` in a filter counts from. */
  readonly #sinceMs: number = Date.now();
  /** Whether new runs are held back now. */
  readonly #isHolding: () => boolean;
  readonly #stop: AbortController = new AbortController();
  #runs: Map<string, RunSummary> = new Map();
  #held: Map<string, RunSummary> = new Map();
  #cursor: string | null = null;
  /** When the last run that was read began. */
  #oldestMs = 0;
  #isReading = false;
  /** Something was missed while a page was read. */
  #mustReload = false;
  #timer = 0;
  #asking = 0;

  /** @param wanted Number of runs to read at first. */
  constructor(filter: RunFilter, isHolding: () => boolean, wanted = ENOUGH) {
    this.#wanted = Math.max(ENOUGH, wanted);
    this.#selection = selectionOf(filter, this.#sinceMs);
    this.#filter = filter;
    this.#isHolding = isHolding;
  }

  /** Reads the first page, and follows what changes until the returned function is called. */
  start(): () => void {
    const unfollow = onRunChanges({
      onChanged: (run) => this.#change(run),
      onGone: (id) => this.#take(id, null),
      onMissed: () => this.reload(),
    });
    this.reload();
    return () => {
      unfollow();
      this.#stop.abort();
      window.clearTimeout(this.#timer);
      window.clearTimeout(this.#asking);
    };
  }

  /** A run that has failed since may be of another group: it is listed when the list is read again. */
  #letsThrough(run: RunSummary): boolean {
    const isOfGroup = !isOfFailure(this.#filter) || (run.status === "failed" && this.#runs.has(run.handlerId));
    return isOfGroup && letsThrough(this.#filter, run, this.#sinceMs);
  }

  reload(): void {
    void this.#read(null);
  }

  more(): void {
    if (this.#cursor !== null) void this.#read(this.#cursor);
  }

  /** Shows the new runs that were held back. */
  release(): void {
    if (this.#held.size > 0) {
      const all = [...this.#held.values(), ...this.#runs.values()];
      all.sort((a, b) => b.startedAtMs - a.startedAtMs);
      this.#runs = new Map(all.map((run) => [run.handlerId, run]));
      this.#held = new Map();
    }
    this.#show({});
  }

  async #read(cursor: string | null): Promise<void> {
    if (this.#isReading) {
      this.#mustReload ||= cursor === null;
      return;
    }
    this.#isReading = true;
    let isShort = false;
    this.#show({ isLoading: true });
    try {
      const from = cursor === null ? {} : { cursor };
      const limit = Math.min(MOST, Math.max(PAGE, this.#wanted - this.#runs.size));
      const page = await client.runs({ ...this.#selection, ...from, limit, signal: this.#stop.signal });
      if (cursor === null) this.#begin(page);
      for (const run of page.runs) this.#runs.set(run.handlerId, run);
      // Reading the first page again does not change how far the others were read.
      if (cursor !== null || this.#runs.size <= limit) {
        this.#cursor = page.cursor;
        this.#oldestMs = page.runs.at(-1)?.startedAtMs ?? this.#oldestMs;
      }
      isShort = this.#cursor !== null && this.#runs.size < this.#wanted;
      if (!isShort) this.#wanted = ENOUGH;
      this.#show({ isLoading: isShort, error: null });
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#show({ isLoading: false, error: toClientError(error) });
    } finally {
      this.#isReading = false;
      if (this.#mustReload && !this.#stop.signal.aborted) {
        this.#mustReload = false;
        this.reload();
      } else if (isShort) this.more();
    }
  }

  /** Puts the newest ones first; what was read of the older ones stays. */
  #begin({ runs, cursor }: RunPage): void {
    const newest = new Map(runs.map((run) => [run.handlerId, run] as const));
    const older = cursor === null ? [] : [...this.#runs].filter(([id]) => !newest.has(id));
    this.#runs = new Map([...newest, ...older]);
    this.#held = new Map();
  }

  #change(run: RunSummary): void {
    const id = run.handlerId;
    const isKnown = this.#runs.has(id) || this.#held.has(id);
    if (!this.#letsThrough(run)) this.#take(id, null);
    else if (isKnown || !isOfInput(this.#filter)) this.#take(id, run);
    else this.#askSoon();
  }

  /** Only the store knows whether a new run has the input of this list. */
  #askSoon(): void {
    if (this.#asking !== 0) return;
    this.#asking = window.setTimeout(() => {
      this.#asking = 0;
      this.reload();
    }, ASKED_MS);
  }

  /** `null` if the run is not, or no longer, in this list. */
  #take(id: string, run: RunSummary | null): void {
    const place = this.#runs.has(id) ? this.#runs : this.#held;
    if (run === null) {
      if (!place.delete(id)) return;
    } else if (place.has(id) || this.#isRead(run)) place.set(id, run);
    else return;
    if (this.#timer !== 0) return;
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      if (this.#isHolding()) this.#show({});
      else this.release();
    }, TOGETHER_MS);
  }

  /** A run that changes further down than was read so far is shown when its page is. */
  #isRead(run: RunSummary): boolean {
    return this.#cursor === null || run.startedAtMs >= this.#oldestMs;
  }

  #show(change: Partial<RunListView>): void {
    this.view.set({
      ...this.view.get(),
      runs: [...this.#runs.values()],
      held: this.#held.size,
      hasMore: this.#cursor !== null,
      ...change,
    });
  }
}
