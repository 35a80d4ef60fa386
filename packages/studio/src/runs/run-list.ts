/**
 * The runs that a filter lets through, newest first: page by page as somebody scrolls, and kept up to date by the server.
 *
 * What begins while somebody reads further down is held back, so that nothing moves under the pointer; what changes is shown at once.
 *
 * @module
 */
import type { Handler, HandlerPage } from "../api/contract.types.js";
import { follow } from "../api/follow.js";
import { ApiError, get, type Query } from "../api/request.js";
import { createStore, type Store } from "../ui/store.js";
import { queryOf, type RunFilter, type StatusFilter } from "./run-filter.js";

export interface RunListView {
  readonly runs: readonly Handler[];
  /** New runs that are held back. */
  readonly held: number;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly error: ApiError | null;
}

const PAGE = 100;
/** Hundreds of runs may change in a second: they are shown together. */
const TOGETHER_MS = 100;

const empty: RunListView = { runs: [], held: 0, hasMore: false, isLoading: true, error: null };

export class RunList {
  readonly view: Store<RunListView> = createStore(empty);
  readonly #query: Query;
  readonly #status: StatusFilter;
  /** Whether new runs are held back now. */
  readonly #isHolding: () => boolean;
  readonly #stop: AbortController = new AbortController();
  #runs: Map<string, Handler> = new Map();
  #held: Map<string, Handler> = new Map();
  #cursor: string | null = null;
  /** When the last run that was read began. */
  #oldest = "";
  #isReading = false;
  #timer = 0;

  constructor(filter: RunFilter, isHolding: () => boolean) {
    this.#query = queryOf(filter);
    this.#status = filter.status;
    this.#isHolding = isHolding;
  }

  /** Reads the first page, and follows what changes until the returned function is called. */
  start(): () => void {
    const unfollow = follow({
      path: "/handlers",
      query: this.#query,
      onMessage: ({ event, data }) => this.#take(event ?? "changed", JSON.parse(data) as Handler),
      onOpen: (isAgain) => isAgain && this.reload(), // what changed while nobody listened
      onRefused: (error) => this.#show({ error }),
    });
    this.reload();
    return () => {
      unfollow();
      this.#stop.abort();
      window.clearTimeout(this.#timer);
    };
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
      all.sort((a, b) => (a.started_at < b.started_at ? 1 : a.started_at > b.started_at ? -1 : 0));
      this.#runs = new Map(all.map((run) => [run.handler_id, run]));
      this.#held = new Map();
    }
    this.#show({});
  }

  async #read(cursor: string | null): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#show({ isLoading: true });
    try {
      const page = await get<HandlerPage>("/handlers", { ...this.#query, limit: PAGE, cursor }, this.#stop.signal);
      if (cursor === null) this.#begin(page.handlers);
      for (const run of page.handlers) this.#runs.set(run.handler_id, run);
      // The first page read again says nothing of how far the others were read.
      if (cursor !== null || this.#runs.size <= PAGE) {
        this.#cursor = page.cursor;
        this.#oldest = page.handlers.at(-1)?.started_at ?? "";
      }
      this.#show({ isLoading: false, error: null });
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#show({ isLoading: false, error: asApiError(error) });
    } finally {
      this.#isReading = false;
    }
  }

  /** Puts the newest ones first; what was read of the older ones stays. */
  #begin(newest: readonly Handler[]): void {
    const older = [...this.#runs].filter(([id]) => !newest.some((run) => run.handler_id === id));
    const isWhole = newest.length < PAGE;
    this.#runs = new Map([...newest.map((run) => [run.handler_id, run] as const), ...(isWhole ? [] : older)]);
    this.#held = new Map();
  }

  #take(event: string, run: Handler): void {
    const id = run.handler_id;
    const isGone = event === "gone" || !fits(run, this.#status);
    const place = this.#runs.has(id) ? this.#runs : this.#held;
    if (isGone) place.delete(id);
    else if (place.has(id) || this.#isRead(run)) place.set(id, run);
    if (this.#timer !== 0) return;
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      if (this.#isHolding()) this.#show({});
      else this.release();
    }, TOGETHER_MS);
  }

  /** A run that changes further down than was read so far is shown when its page is. */
  #isRead(run: Handler): boolean {
    return this.#cursor === null || run.started_at >= this.#oldest;
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

function fits(run: Handler, status: StatusFilter): boolean {
  if (status === "all") return true;
  if (status === "waiting") return run.status === "running" && run.waiting;
  if (status === "running") return run.status === "running" && !run.waiting;
  return run.status === status;
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ApiError({ status: 0, code: "UNEXPECTED", detail });
}
