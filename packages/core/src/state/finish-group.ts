/**
 * Final edits of steps: each is made at once, and travels in the tick that ends its step.
 *
 *     lock free ──first──► held by one run ──all of them stored──► lock free
 *                            └─ more of that run: each builds on those before it
 *
 * Any number of them is one commit, because none has to wait until earlier ones are stored. If a stored tick is then refused, edits
 * that build on it would be wrong. So only edits of one run build on each other (the end of the run refuses all that are left), and
 * none builds on an edit that can be refused alone.
 *
 * @module
 */
import type { OpenCall } from "./edit-context.js";
import type { PreparedChange, StateRules } from "./prepare-change.js";

/** Makes an edit of a frozen state without a draft. `null`: its changes are not known without one. */
export type DirectEdit = (before: unknown, rules: StateRules) => MadeEdit | null;

/** A step, or a call of it, that ends with an edit. */
export interface FinishEdit {
  /** The run whose ticks it is among. */
  readonly run: object;
  /** The attempt. */
  readonly token: object;
  readonly edit: (draft: never) => unknown;
  /** Asked before the edit, which it replaces; `null`: there is only the edit. */
  readonly direct: DirectEdit | null;
  /** The open call that it ends, made for the edit; absent for the edit of a step. */
  readonly call?: OpenCall;
  /** `true`: the attempt ended before its turn came. */
  isOver(): boolean;
  /**
   * Submits the end of the step. Throws if it cannot be stored.
   *
   * @param change `null` if the edit has changed nothing; then `told` is never called.
   * @param told Called once the change has happened, or will never happen.
   * @returns `true` when others may build on it before it is stored.
   */
  submit(answer: unknown, change: PreparedChange | null, told: () => void): boolean;
  /** Fails the step; nothing has changed. */
  fail(error: unknown): void;
}

/** The result of the callback, and its changes. */
export interface MadeEdit {
  readonly answer: unknown;
  readonly change: PreparedChange;
}

/** What final edits need of the state. */
export interface LastEditHost {
  /** The committed state. */
  read(): unknown;
  /** Makes it directly, or runs the callback on a draft of this state. */
  change(before: unknown, last: FinishEdit): MadeEdit;
  /** `true`: another writer waits for the lock. */
  isAwaited(): boolean;
  /** Takes the lock and returns the function that frees it; `null` if it is held. */
  tryLock(): (() => void) | null;
  /** Runs `work` with the lock, in turn. The lock is freed when the promise resolves. */
  withLock(work: () => Promise<void>): void;
}

export class FinishEdits {
  readonly #host: LastEditHost;
  /** Frees the lock; `null` while it is not held. */
  #release: (() => void) | null = null;
  /** The run whose edits are not stored yet. */
  #run: object | null = null;
  #onTheirWay = 0;
  /** The state with these edits. */
  #projected: unknown = null;
  /** `true`: the last of them can be refused alone. */
  #isSealed = false;
  /** Edits whose turn has not come. */
  #waiting: FinishEdit[] = [];

  constructor(host: LastEditHost) {
    this.#host = host;
  }

  /** Makes the edit at once, unless it has to wait for others. */
  add(last: FinishEdit): void {
    if (this.#release === null && this.#waiting.length === 0) this.#release = this.#host.tryLock();
    if (this.#release !== null && !this.#host.isAwaited() && this.#fits(last)) {
      this.#make(last);
      return this.#letGo();
    }
    this.#waiting.push(last);
    if (this.#waiting.length === 1) this.#host.withLock(() => this.#takeTurn());
  }

  #fits({ run }: FinishEdit): boolean {
    return this.#onTheirWay === 0 || (this.#run === run && !this.#isSealed);
  }

  /** Makes the waiting edits that fit together; the rest waits for another turn. */
  #takeTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.#release = resolve;
      const waiting = this.#waiting;
      this.#waiting = [];
      const rest = waiting.filter((last) => {
        const fits = this.#fits(last);
        if (fits) this.#make(last);
        return !fits;
      });
      if (rest.length > 0) {
        if (this.#waiting.length === 0) this.#host.withLock(() => this.#takeTurn());
        this.#waiting.unshift(...rest);
      }
      this.#letGo();
    });
  }

  #make(last: FinishEdit): void {
    if (last.isOver()) return;
    const before = this.#onTheirWay > 0 ? this.#projected : this.#host.read();
    try {
      const made = this.#host.change(before, last);
      if (made.change.next === before) last.submit(made.answer, null, () => {});
      else this.#send(last, made, before);
    } catch (error) {
      last.fail(error);
    }
  }

  #send(last: FinishEdit, { answer, change }: MadeEdit, before: unknown): void {
    this.#onTheirWay++;
    this.#run = last.run;
    this.#projected = change.next;
    try {
      if (!last.submit(answer, change, () => this.#told())) this.#isSealed = true;
    } catch (error) {
      this.#onTheirWay--;
      this.#projected = before;
      throw error;
    }
  }

  #told(): void {
    this.#onTheirWay--;
    this.#letGo();
  }

  #letGo(): void {
    if (this.#onTheirWay > 0 || this.#release === null) return;
    const release = this.#release;
    this.#release = null;
    this.#run = null;
    this.#projected = null; // a state may be large
    this.#isSealed = false;
    release();
  }
}
