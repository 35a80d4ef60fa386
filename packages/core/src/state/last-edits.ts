/**
 * Edits that steps end with: each is made at once, and travels in the tick that ends its step.
 *
 *     lock free ──first──► held by one run ──all of them stored──► lock free
 *                            └─ more of that run: each builds on those before it
 *
 * Any number of them is one commit, because one need not wait until those before it are stored. A tick that is stored and then
 * refused would leave those that were built on it without ground. So only edits of one run build on each other (its end refuses
 * all of them that are left), and none builds on one that can be refused alone.
 *
 * @module
 */
import type { PreparedChange } from "./prepare-change.js";

/** One step that ends with an edit. */
export interface LastEdit {
  /** The run whose ticks it is among. */
  readonly run: object;
  /** The attempt. */
  readonly token: object;
  readonly edit: (draft: never) => unknown;
  /** The attempt has ended before its turn came. */
  isOver(): boolean;
  /**
   * The end of the step, on its way to be stored. Throws before that when it cannot be.
   *
   * @param change Null: the edit has changed nothing, and `told` is never called.
   * @param told Called once it has happened, or never will.
   * @returns Whether others may build on it before.
   */
  submit(answer: unknown, change: PreparedChange | null, told: () => void): boolean;
  /** Nothing has changed. */
  fail(error: unknown): void;
}

/** What they need of the state. */
export interface LastEditHost {
  /** The committed state. */
  read(): unknown;
  /** Runs the callback on a draft of this state. */
  change(before: unknown, last: LastEdit): { readonly answer: unknown; readonly change: PreparedChange };
  /** Another writer waits for the lock. */
  isAwaited(): boolean;
  /** Takes the lock, and gives what gives it back; null when somebody has it. */
  tryLock(): (() => void) | null;
  /** Does the work in turn, with the lock, which is given back when the promise resolves. */
  withLock(work: () => Promise<void>): void;
}

export class LastEdits {
  readonly #host: LastEditHost;
  /** Gives the lock back. Null while it is not held. */
  #release: (() => void) | null = null;
  /** Whose edits are on their way. */
  #run: object | null = null;
  #onTheirWay = 0;
  /** What they will have made of the state. */
  #projected: unknown = null;
  /** The last of them can be refused alone. */
  #isSealed = false;
  /** Their turn is yet to come. */
  #waiting: LastEdit[] = [];

  constructor(host: LastEditHost) {
    this.#host = host;
  }

  /** Now, where it need not wait for others. */
  add(last: LastEdit): void {
    if (this.#release === null && this.#waiting.length === 0) this.#release = this.#host.tryLock();
    if (this.#release !== null && !this.#host.isAwaited() && this.#fits(last)) {
      this.#make(last);
      return this.#letGo();
    }
    this.#waiting.push(last);
    if (this.#waiting.length === 1) this.#host.withLock(() => this.#takeTurn());
  }

  #fits({ run }: LastEdit): boolean {
    return this.#onTheirWay === 0 || (this.#run === run && !this.#isSealed);
  }

  /** All that wait, as far as they fit together; the rest waits for another turn. */
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

  #make(last: LastEdit): void {
    if (last.isOver()) return;
    const before = this.#onTheirWay > 0 ? this.#projected : this.#host.read();
    try {
      const { answer, change } = this.#host.change(before, last);
      if (change.next === before) last.submit(answer, null, () => {});
      else this.#send(last, { answer, change, before });
    } catch (error) {
      last.fail(error);
    }
  }

  #send(
    last: LastEdit,
    made: { readonly answer: unknown; readonly change: PreparedChange; readonly before: unknown },
  ): void {
    this.#onTheirWay++;
    this.#run = last.run;
    this.#projected = made.change.next;
    try {
      if (!last.submit(made.answer, made.change, () => this.#told())) this.#isSealed = true;
    } catch (error) {
      this.#onTheirWay--;
      this.#projected = made.before;
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
