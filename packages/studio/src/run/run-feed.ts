/**
 * Brings one run to the page, and keeps it up to date.
 *
 * Ticks come as a stream. What they do not say is asked for again after they came, never twice at once: attempts that are open, the
 * record of the run, and what its steps are doing at the newest tick and at the cursor.
 *
 * @module
 */
import type { Attempt, Handler, HistoryEntry, Moment } from "../api/contract.types.js";
import { follow } from "../api/follow.js";
import { ApiError, get } from "../api/request.js";
import { type ChildPlace, childPlace, childRecord, isOf } from "../model/child-place.js";
import { RunStore } from "../model/run-store.js";
import { createStore, type Store } from "../store.js";

const pageSize = 1000;
/** Between two rounds of questions while ticks come in. */
const breathMs = 150;
/** At most between two looks at the record of a run that is at work. */
const maxPauseMs = 5_000;

export class RunFeed {
  readonly run: RunStore;
  /** Id of the handler: for a child, that of its root run. */
  readonly rootId: string;
  readonly handler: Store<Handler | null> = createStore<Handler | null>(null);
  /** Of a child. */
  readonly place: Store<ChildPlace | null> = createStore<ChildPlace | null>(null);
  readonly error: Store<ApiError | null> = createStore<ApiError | null>(null);
  /** All ticks of the past are there. */
  readonly isRead: Store<boolean> = createStore(false);
  readonly #path: string;
  readonly #childId: string | null;
  /** Whether something is of the run, or of the child, that is shown. */
  readonly #isShown: (one: { readonly run_id: string }) => boolean;
  /** Number of the last tick that has come, whichever run it is of. */
  #last = 0;
  #stop = new AbortController();
  #unfollow: (() => void) | null = null;
  #waiting: HistoryEntry[] = [];
  #timer: number | null = null;
  #isAsking = false;
  #askAgain = false;
  /** How long until the record is looked at once more, unless a tick comes before. */
  #pauseMs = breathMs;
  #isMomentAsked = false;

  constructor(id: string, childId: string | null) {
    this.rootId = id;
    this.#childId = childId;
    this.#isShown = isOf(childId ?? id);
    this.#path = `handlers/${encodeURIComponent(id)}`;
    this.run = new RunStore({ runId: childId ?? id, schedule: (notify) => void requestAnimationFrame(notify) });
  }

  /** Returns what ends it. */
  start(): () => void {
    this.#stop = new AbortController();
    const unsubscribe = this.run.version.subscribe(() => void this.#readMoment());
    void this.#read();
    return () => {
      unsubscribe();
      this.#stop.abort();
      this.#unfollow?.();
      if (this.#timer !== null) window.clearTimeout(this.#timer);
      this.#timer = null;
      this.#waiting = [];
    };
  }

  /** Called after an action on the run: an ended run may continue. */
  readonly refresh = (): void => {
    this.#unfollow?.();
    this.#follow();
    this.#askSoon();
  };

  readonly retry = (): void => {
    this.error.set(null);
    void this.#read();
  };

  async #read(): Promise<void> {
    await this.#try(async (signal) => {
      if (this.#childId === null) await this.#readHandler(signal);
      await Promise.all([this.#readTicks(signal), this.#readAttempts(signal)]);
      if (this.#childId !== null) await this.#readHandler(signal);
      this.isRead.set(true);
      this.#follow();
    });
    this.#askWhileAtWork();
  }

  async #readHandler(signal: AbortSignal): Promise<void> {
    if (this.#childId === null) return this.handler.set(await get<Handler>(this.#path, {}, signal));
    const root = await get<Handler>(this.#path, { children: true }, signal);
    const place = childPlace(root, this.#childId);
    if (place === null) throw noSuchChild(this.rootId, this.#childId);
    this.place.set(place);
    this.handler.set(childRecord(root, place, this.run.attempts.list));
  }

  async #readTicks(signal: AbortSignal): Promise<void> {
    const query = { limit: pageSize, changes: true };
    for (let after: number | null = this.#last; after !== null; ) {
      const page: HistoryPage = await get(`${this.#path}/history`, { ...query, after }, signal);
      this.#append(page.entries);
      after = page.next;
    }
  }

  async #readAttempts(signal: AbortSignal): Promise<void> {
    for (let after: number | null = this.run.attempts.readFrom; after !== null; ) {
      const page: AttemptPage = await get(`${this.#path}/attempts`, { after, limit: pageSize }, signal);
      this.run.putAttempts(page.attempts.filter(this.#isShown));
      after = page.next;
    }
  }

  #append(entries: readonly HistoryEntry[]): void {
    this.#last = Math.max(this.#last, entries.at(-1)?.number ?? 0);
    this.run.append(entries.filter(this.#isShown));
  }

  #follow(): void {
    if (this.#stop.signal.aborted) return;
    this.#unfollow = follow({
      path: `${this.#path}/history`,
      query: { changes: true, after: this.#last },
      onOpen: (isAgain) => isAgain && this.#askSoon(),
      onMessage: ({ data }) => this.#take(JSON.parse(data) as HistoryEntry),
      onEnd: () => this.#askSoon(),
      onRefused: (error) => this.error.set(error),
    });
  }

  /** A stream may bring hundreds at once: they are appended together. */
  #take(entry: HistoryEntry): void {
    this.#waiting.push(entry);
    if (this.#waiting.length > 1) return;
    queueMicrotask(() => {
      this.#append(this.#waiting.splice(0));
      this.#askSoon();
    });
  }

  #askSoon(): void {
    const isSoon = this.#askAgain && this.#timer !== null;
    this.#askAgain = true;
    this.#pauseMs = breathMs;
    if (!this.#isAsking && !isSoon) this.#askIn(breathMs);
  }

  #askIn(ms: number): void {
    if (this.#timer !== null) window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.#timer = null;
      if (this.#askAgain || document.visibilityState === "visible") void this.#ask();
      else this.#askIn(maxPauseMs);
    }, ms);
  }

  /** A run comes to rest after its last tick, and no message reports it. */
  #askWhileAtWork(): void {
    const record = this.handler.get();
    const isAtWork = record?.status === "running" && !record.waiting;
    if (!isAtWork || this.#timer !== null || this.#stop.signal.aborted) return;
    this.#askIn(this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs);
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    this.#askAgain = false;
    await this.#try(async (signal) => {
      await this.#readAttempts(signal);
      await this.#readHandler(signal);
    });
    this.#isAsking = false;
    if (this.#askAgain) this.#askSoon();
    else if (this.error.get()?.status === 0) this.#askIn(maxPauseMs);
    else this.#askWhileAtWork();
  }

  /** What the steps were doing at the cursor, and at the newest tick. One question at a time: a cursor that moves on asks for where it is then. */
  async #readMoment(): Promise<void> {
    const { tick, moments } = this.run;
    if (this.#isMomentAsked || tick === 0 || moments.get(tick) !== undefined) return;
    this.#isMomentAsked = true;
    const query = { run_id: this.#childId };
    await this.#try(async (signal) => this.run.putMoment(await get<Moment>(`${this.#path}/at/${tick}`, query, signal)));
    this.#isMomentAsked = false;
  }

  async #try(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    try {
      await work(signal);
      this.error.set(null);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      this.error.set(error);
    }
  }
}

function noSuchChild(rootId: string, childId: string): ApiError {
  return new ApiError({ status: 404, code: "CHILD_UNKNOWN", detail: `Run ${rootId} has no child ${childId}.` });
}

interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  readonly next: number | null;
}

interface AttemptPage {
  readonly attempts: readonly Attempt[];
  readonly next: number | null;
}
