/**
 * The state of one run: reads that never wait, and one writer at a time.
 *
 *     waiting ──lock──► editing ──callback settled──► committing ──stored──► over
 *        └──────────────rollback──┴────────────────────────────────────────────┘
 *
 * A write works on the committed state and hands the difference to its host; the host makes it the state.
 *
 * @module
 */
import { Semaphore } from "async-mutex";
import { WorkflowError } from "../errors/workflow-error.js";
import { freezeState } from "../value/freeze.js";
import { isThenable } from "../value/kind.js";
import { assertFunction } from "../value/options.js";
import { createDraft } from "./draft.js";
import {
  CallPromise,
  type FailedCall,
  followsAsyncContext,
  type OpenCall,
  openCall,
  outerCall,
  refuseInsideEdit,
  runInCall,
  runInSyncCall,
} from "./edit-context.js";
import { withoutDrafts } from "./finish-draft.js";
import { type FinishEdit, FinishGroup, type MadeEdit } from "./finish-group.js";
import { type Path, prepareChange, prepareEdit, prepareWrite, readPath, type StateRules } from "./prepare-change.js";
import { type PreparedChange, StateSize } from "./state-schema.js";

/** How long a writer keeps others waiting is measured with it. In epoch milliseconds. */
interface LockClock {
  now(): number;
  /** Returns the function that cancels the timer. */
  setTimer(atMs: number, wake: () => void): () => void;
}

/** Parts of a run that its state needs. */
export interface StoreHost extends StateRules {
  /** The committed state, deeply frozen. */
  read(): unknown;
  /** Makes `change.next` the state; answers once that is stored. An edit that changed nothing has no patches. */
  commit(change: PreparedChange, commit: Commit): void | Promise<void>;
  /** A write has failed. */
  failed?(failure: FailedCall, writer: Writer | undefined): void;
  /** `true` for a context without a live run: writes apply synchronously. Otherwise each write starts in its own microtask. */
  readonly isOwn?: boolean;
  /** Delays the answer of a write that has been made. The lock does not wait for it. @default at once */
  answer?(result: unknown): unknown;
  readonly lockTimeoutMs: number;
  readonly clock: LockClock;
}

/** Who writes. */
export interface Writer {
  /** The attempt. Ended by {@link StateStore.rollback}. */
  readonly token: object;
  /** Id of its call in the work item. */
  readonly note?: string;
}

/** A change, as reported to the host. */
export interface Commit {
  readonly writer: Writer | undefined;
  /** The result of the callback of `edit`, or the value that `write` wrote. */
  readonly value: unknown;
  /** The callback of `edit`, which may have sent and shown something; `null` for other writes. */
  readonly by: OpenCall | null;
}

/** One write in the queue: a call of a writer, or the edit that a step or a call ends with. */
class PendingWrite {
  readonly what: string;
  readonly writer: Writer | undefined;
  readonly work: Work<unknown>;
  /** The edit that a step or a call ends with, whose errors fail its step; `null` for a call of a writer. */
  finish: FinishEdit | null = null;
  /** The callback that it was made in: an edit of another state, or a call of its attempt. */
  outer: OpenCall | null = null;
  /** Call that the caller awaits; `null` for a final edit. */
  call: CallPromise<unknown> | null = null;
  resolve: (result: unknown) => void = ignore;
  reject: (error: unknown) => void = ignore;
  /** Releases the lock. `null` while waiting, and afterwards. */
  release: (() => void) | null = null;
  edit: OpenCall | null = null;
  committing = false;
  /** Whether it is settled: later writes of it are ignored. */
  over = false;
  /** When it began to block other writers, in epoch milliseconds. */
  blockingSinceMs = 0;

  constructor(what: string, writer: Writer | undefined, work: Work<unknown>) {
    this.what = what;
    this.writer = writer;
    this.work = work;
  }
}

function ignore(): void {}

type Work<Result> = (pending: PendingWrite) => Result | Promise<Result>;

export class StateStore {
  readonly #host: StoreHost;
  readonly #size = new StateSize();
  readonly #lock = new Semaphore(1);
  /** Waiting for the lock or holding it. */
  readonly #queue = new Set<PendingWrite>();
  /** How many of them each attempt has that has written. */
  readonly #writing = new Map<object, number>();
  /** Listeners for the moment when an attempt has no writes left. */
  readonly #finished = new Map<object, () => void>();
  readonly #group: FinishGroup;
  #holder: PendingWrite | null = null;
  #stopTimer: (() => void) | null = null;
  #isClosed = false;

  constructor(host: StoreHost) {
    this.#host = host;
    this.#group = new FinishGroup(
      () => host.read(),
      (before, finish) => {
        const made = finish.direct?.(before, host) ?? this.#change(before, finish);
        this.#size.admit(before, made.change, host.types);
        return made;
      },
    );
  }

  /**
   * The value at a path, frozen, or the whole state. Inside an edit it is still the committed one.
   *
   * @throws {WorkflowError} `OPTION_INVALID` when the path has a forbidden segment or too many, or leads through a value
   * without fields.
   */
  read(path: Path = "", fallback?: unknown): unknown {
    const state = this.#host.read();
    const value = path.length === 0 ? state : readPath(state, path);
    return value === undefined ? fallback : value;
  }

  /** The committed state, frozen, once every write that is on its way is in it. Changes nothing. */
  settled(): CallPromise<unknown> {
    return this.#take("getState", undefined, () => this.#host.read());
  }

  write(path: Path, given: unknown, writer?: Writer): CallPromise<void> {
    const value = withoutDrafts(given);
    return this.#take("set", writer, (pending) => {
      const change = prepareWrite(this.#host.read(), { path, value }, this.#host);
      // All of it, also where it equals what was there: the host may keep it.
      return this.#commit(pending, change, freezeState(value));
    });
  }

  replace(given: unknown, writer?: Writer): CallPromise<void> {
    const state = withoutDrafts(given);
    return this.#take("setState", writer, (pending) => this.#replace(pending, state, state));
  }

  clear(writer?: Writer): CallPromise<void> {
    return this.#take("clear", writer, (pending) => this.#replace(pending, this.#host.schema?.initial() ?? {}));
  }

  /** Runs the callback exclusively with a draft, commits its changes, and returns its result. */
  edit<Result>(callback: (draft: never) => Result | Promise<Result>, writer?: Writer): CallPromise<Result> {
    return this.#take("editState", writer, (pending) => {
      assertFunction(callback, "edit");
      const draft = createDraft(this.#host.read() as object);
      const call = writer?.note ?? null;
      const edit = openCall("editState", { call, cell: this, token: writer?.token, outer: pending.outer });
      pending.edit = edit;
      const answer = runInCall(edit, () => callback(draft as never));
      if (isThenable(answer)) return Promise.resolve(answer).then((result) => this.#finish(pending, draft, result));
      // A refusal inside cannot have been awaited: the edit fails with it, so that it is not lost.
      if (edit.refusal) throw edit.refusal;
      return this.#finish(pending, draft, answer);
    });
  }

  /** The edit that a step or a call ends with. It is made at once if no other writer waits or is at work. */
  finish(finish: FinishEdit): void {
    const isAwaited = this.#queue.size > (this.#holder === null ? 0 : 1);
    if (this.#group.isOpen && !isAwaited && this.#group.fits(finish)) return this.#group.add(finish);
    const release = this.#tryLock();
    if (release !== null) return this.#group.open(release, [finish]);
    const pending = new PendingWrite("finish", undefined, (held) => this.#finishTogether(held));
    pending.finish = finish;
    this.#enter(pending);
  }

  /** Makes all waiting final edits that fit together; the others keep their places. Resolves when they are stored. */
  #finishTogether(pending: PendingWrite): Promise<void> {
    return new Promise((resolve) => this.#group.open(resolve, this.#waitingFinishes(pending)));
  }

  *#waitingFinishes(holder: PendingWrite): Generator<FinishEdit> {
    for (const pending of [...this.#queue]) {
      const { finish } = pending;
      if (finish === null || !this.#group.fits(finish)) continue;
      if (pending !== holder) this.#free(pending);
      yield finish;
    }
  }

  /** Runs a synchronous callback on a draft of this state. */
  #change(before: unknown, { edit: callback, token, call }: FinishEdit): MadeEdit {
    const draft = createDraft(before as object);
    const edit = call ?? openCall("ctx.finish", { call: null, cell: this, token, outer: outerCall(token) });
    let answer: unknown;
    try {
      answer = runInSyncCall(edit, () => callback(draft as never));
    } finally {
      edit.open = false;
    }
    if (edit.refusal) throw edit.refusal;
    return { answer, change: prepareEdit(before, draft, this.#host) };
  }

  #tryLock(): (() => void) | null {
    if (this.#lock.isLocked()) return null;
    void this.#lock.acquire(); // at once: it is free
    return () => this.#lock.release();
  }

  /** Whether any write waits or is at work. */
  get isBusy(): boolean {
    return this.#queue.size > 0;
  }

  /** Whether {@link rollback} would find something. */
  isWriting(token: object): boolean {
    return (this.#writing.get(token) ?? 0) > 0;
  }

  /** Whether the attempt has written anything, until it is forgotten. */
  hasWritten(token: object): boolean {
    return this.#writing.has(token);
  }

  /** The attempt is over. */
  forget(token: object): void {
    this.#writing.delete(token);
  }

  /** Resolves when no write of the attempt waits or is at work. */
  whenWritten(token: object): Promise<void> {
    if (!this.isWriting(token)) return Promise.resolve();
    return new Promise((resolve) => void this.#finished.set(token, resolve));
  }

  /**
   * Ends the writes of an attempt, and discards those that are not committed.
   *
   * @param error Error with which they reject; with `null`, they never settle.
   */
  rollback(token: object, error: Error | null): void {
    for (const pending of this.#queue) if (pending.writer?.token === token) this.#rollBack(pending, error);
  }

  /** The run has left memory: writes that still wait, or are being stored, stay as they are. */
  close(): void {
    this.#isClosed = true;
    this.#unwatch();
  }

  /** Waits for the lock, does the work, and releases the lock. */
  #take<Result>(what: string, writer: Writer | undefined, work: Work<Result>): CallPromise<Result> {
    const pending = new PendingWrite(what, writer, work);
    const call = new CallPromise<Result>((resolve, reject) => {
      pending.resolve = resolve as PendingWrite["resolve"];
      pending.reject = reject;
    });
    pending.call = call;
    pending.outer = outerCall(writer?.token);
    try {
      refuseInsideEdit(what, writer?.token, this);
      this.#enter(pending);
    } catch (error) {
      this.#reject(pending, error);
    }
    return call;
  }

  #enter(pending: PendingWrite): void {
    const { writer } = pending;
    this.#queue.add(pending);
    if (writer) this.#writing.set(writer.token, (this.#writing.get(writer.token) ?? 0) + 1);
    if (this.#queue.size === 2) {
      if (this.#holder) this.#holder.blockingSinceMs = this.#host.clock.now();
      this.#watch();
    }
    const own = this.#host.isOwn === true ? this.#tryLock() : null;
    if (own !== null) return this.#begin(pending, own);
    // In its own microtask: the work then runs in the async context of its caller.
    void this.#lock.acquire().then(([, release]) => this.#begin(pending, release));
  }

  #begin(pending: PendingWrite, release: () => void): void {
    if (pending.over) return release();
    pending.release = release;
    this.#holder = pending;
    if (this.#queue.size > 1) pending.blockingSinceMs = this.#host.clock.now();
    try {
      const result = pending.work(pending);
      if (!isThenable(result)) return this.#settle(pending, result);
      result.then(
        (stored) => this.#settle(pending, stored),
        (error: unknown) => this.#fail(pending, error),
      );
    } catch (error) {
      this.#fail(pending, error);
    }
  }

  #settle(pending: PendingWrite, result: unknown): void {
    if (!pending.over) pending.resolve(this.#host.answer === undefined ? result : this.#host.answer(result));
    this.#free(pending);
  }

  #fail(pending: PendingWrite, error: unknown): void {
    this.#reject(pending, error);
    this.#free(pending);
  }

  #reject(pending: PendingWrite, error: unknown): void {
    this.#host.failed?.({ call: (pending.call as CallPromise<unknown>).markHandled(), error }, pending.writer);
    pending.reject(error);
  }

  /** The callback has settled: commits its draft. */
  #finish<Result>(pending: PendingWrite, draft: object, answer: Result): Result | Promise<Result> {
    if (pending.over) return answer;
    if (pending.edit) pending.edit.open = false;
    const result = withoutDrafts(answer) as Result;
    const stored = this.#commit(pending, prepareEdit(this.#host.read(), draft, this.#host), result);
    return stored ? stored.then(() => result) : result;
  }

  #replace(pending: PendingWrite, wanted: unknown, value?: unknown): void | Promise<void> {
    return this.#commit(pending, prepareChange(this.#host.read(), wanted, this.#host), value);
  }

  #commit(pending: PendingWrite, change: PreparedChange, value: unknown): void | Promise<void> {
    this.#size.admit(this.#host.read(), change, this.#host.types);
    pending.committing = true;
    return this.#host.commit(change, { writer: pending.writer, value, by: pending.edit });
  }

  #rollBack(pending: PendingWrite, error: Error | null): void {
    pending.over = true;
    if (error !== null) this.#reject(pending, error);
    // A commit that has begun cannot be cancelled: the next writer has to see it.
    if (!pending.committing) this.#free(pending);
  }

  #free(pending: PendingWrite): void {
    pending.over = true;
    if (pending.edit) pending.edit.open = false;
    if (this.#queue.delete(pending)) this.#countOff(pending.writer);
    if (this.#queue.size < 2) this.#unwatch();
    if (!pending.release) return;
    this.#holder = null;
    pending.release();
    pending.release = null;
  }

  #countOff(writer: Writer | undefined): void {
    const left = writer && this.#writing.get(writer.token);
    if (!left) return;
    this.#writing.set(writer.token, left - 1);
    if (left > 1) return;
    this.#finished.get(writer.token)?.();
    this.#finished.delete(writer.token);
  }

  /** Keeps a timer while a writer waits. */
  #watch(): void {
    const { clock, lockTimeoutMs } = this.#host;
    if (this.#stopTimer || this.#isClosed || this.#queue.size < 2) return;
    const nowMs = clock.now();
    // A clock that was set back would leave this time in the future.
    if (this.#holder) this.#holder.blockingSinceMs = Math.min(this.#holder.blockingSinceMs, nowMs);
    const dueMs = (this.#holder?.blockingSinceMs ?? nowMs) + lockTimeoutMs;
    this.#stopTimer = clock.setTimer(dueMs > nowMs ? dueMs : nowMs + lockTimeoutMs, () => {
      this.#stopTimer = null;
      const holder = this.#holder;
      if (holder?.edit && !holder.committing && holder.blockingSinceMs + lockTimeoutMs <= clock.now())
        this.#expire(holder);
      this.#watch();
    });
  }

  #unwatch(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
  }

  /** Rolls back an edit that keeps others waiting: most likely it waits for another writer inside of it. */
  #expire(holder: PendingWrite): void {
    const { lockTimeoutMs } = this.#host;
    const own = followsAsyncContext()
      ? []
      : [...this.#queue].filter((pending) => pending.writer && pending.writer.token === holder.writer?.token);
    for (const pending of new Set([holder, ...own])) {
      this.#rollBack(
        pending,
        new WorkflowError({
          code: "STATE_LOCKED",
          message: `\`${pending.what}\` was rolled back: an edit kept other writers waiting for ${lockTimeoutMs} ms.`,
          hint: "Use only the draft inside `editState`, keep slow work outside, or raise `lockTimeout`.",
          details: { what: pending.what, lockTimeoutMs },
        }),
      );
    }
  }
}
