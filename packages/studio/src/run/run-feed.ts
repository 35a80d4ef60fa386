/**
 * Brings one run to the page, and keeps it up to date.
 *
 * Ticks come as a stream. What they do not say is asked for again after they came, never twice at once: attempts that are open, the
 * record of the run, and what its steps are doing at the newest tick and at the cursor.
 *
 * @module
 */
import { ClientError, type HistoryEntry, type RunSummary } from "@millrace/client";
import { client, isUnreachable, streams } from "../api/client.js";
import { connection } from "../api/connection.js";
import { follow } from "../api/follow.js";
import { type ChildPlace, childPlace, childSummary, isOf } from "../model/child-place.js";
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
  readonly handler: Store<RunSummary | null> = createStore<RunSummary | null>(null);
  /** Of a child. */
  readonly place: Store<ChildPlace | null> = createStore<ChildPlace | null>(null);
  readonly error: Store<ClientError | null> = createStore<ClientError | null>(null);
  /** All ticks of the past are there. */
  readonly isRead: Store<boolean> = createStore(false);
  readonly #childId: string | null;
  /** Whether something is of the run, or of the child, that is shown. */
  readonly #isShown: (one: { readonly runId: string }) => boolean;
  /** Number of the last tick that has come, whichever run it is of. */
  #last: number | null = null;
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
    this.run = new RunStore({ runId: childId ?? id, schedule: (notify) => void requestAnimationFrame(notify) });
  }

  /** Returns what ends it. */
  start(): () => void {
    this.#stop = new AbortController();
    const unsubscribe = this.run.version.subscribe(() => void this.#readMoment());
    // What happened while the server was away is read anew.
    const unconnect = connection.subscribe(() => connection.get() === "connected" && this.#askSoon());
    void this.#read();
    return () => {
      unsubscribe();
      unconnect();
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
    const root = await client.handle(this.rootId).summary({ signal });
    if (this.#childId === null) return this.handler.set(root);
    const place = childPlace(root, await client.children(this.rootId, { signal }), this.#childId);
    if (place === null) throw noSuchChild(this.rootId, this.#childId);
    this.place.set(place);
    this.handler.set(childSummary(root, place, this.run.attempts.list));
  }

  async #readTicks(signal: AbortSignal): Promise<void> {
    const entries = client.history(this.rootId, { ...this.#after, pageSize, changes: true, signal });
    for await (const some of batches(entries)) this.#append(some);
  }

  async #readAttempts(signal: AbortSignal): Promise<void> {
    const { readFrom: after } = this.run.attempts;
    const attempts = client.attempts(this.rootId, { after, pageSize, signal });
    for await (const some of batches(attempts)) this.run.putAttempts(some.filter(this.#isShown));
  }

  /** The history of a fork begins with entry 0, which only a call without `after` has. */
  get #after(): { readonly after?: number } {
    return this.#last === null ? {} : { after: this.#last };
  }

  #append(entries: readonly HistoryEntry[]): void {
    this.#last = entries.at(-1)?.number ?? this.#last;
    this.run.append(entries.filter(this.#isShown));
  }

  #follow(): void {
    if (this.#stop.signal.aborted) return;
    this.#unfollow = follow({
      open: (signal) => streams.history(this.rootId, { ...this.#after, changes: true, follow: true, signal }),
      onItem: (entry) => this.#take(entry),
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
    if (
      (record?.status !== "running" && record?.status !== "queued") ||
      this.#timer !== null ||
      this.#stop.signal.aborted
    )
      return;
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
    else if (this.#isAway) this.#askIn(maxPauseMs);
    else this.#askWhileAtWork();
  }

  get #isAway(): boolean {
    const error = this.error.get();
    return error !== null && isUnreachable(error);
  }

  /** What the steps were doing at the cursor, and at the newest tick. One question at a time: a cursor that moves on asks for where it is then. */
  async #readMoment(): Promise<void> {
    const { tick, moments } = this.run;
    if (this.#isMomentAsked || tick === 0 || moments.get(tick) !== undefined) return;
    this.#isMomentAsked = true;
    const ofChild = this.#childId === null ? {} : { childId: this.#childId };
    await this.#try(async (signal) => this.run.putMoment(await client.at(this.rootId, tick, { ...ofChild, signal })));
    this.#isMomentAsked = false;
  }

  async #try(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    try {
      await work(signal);
      this.error.set(null);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ClientError)) throw error;
      this.error.set(error);
    }
  }
}

function noSuchChild(rootId: string, childId: string): ClientError {
  const message = `Run ${rootId} has no child ${childId}.`;
  return new ClientError({ code: "CHILD_UNKNOWN", message, hint: "" });
}

/** What is read shows up page by page, not one by one. */
async function* batches<Item>(items: AsyncIterable<Item>): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < pageSize) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
