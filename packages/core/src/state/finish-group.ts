/**
 * Final edits of steps and calls: each is made at once, and travels in the tick that ends its step or its call.
 *
 *     lock free ──first──► held by one run ──all of them stored──► lock free
 *                            └─ more of that run: each builds on those before it
 *
 * Any number of them is one commit, because none has to wait until earlier ones are stored. If the engine ignores a stored tick,
 * edits that build on it would be wrong. So only edits of one run build on each other (the end of the run ignores all that are left),
 * and none builds on an edit that can be ignored alone.
 *
 * @module
 */
import type { OpenCall } from "./edit-context.js";
import type { StateRules } from "./prepare-change.js";
import type { PreparedChange } from "./state-schema.js";

/** Makes an edit of a frozen state without a draft. `null` if its changes are not known without one. */
export type DirectEdit = (before: unknown, rules: StateRules) => MadeEdit | null;

/** A step, or a call of it, that ends with an edit. */
export interface FinishEdit {
  /** The run whose ticks it is among. */
  readonly run: object;
  /** The attempt. */
  readonly token: object;
  readonly edit: (draft: never) => unknown;
  /** Asked before the edit, which it replaces; `null` if there is only the edit. */
  readonly direct: DirectEdit | null;
  /** The open call that it ends, made for the edit; absent for the edit of a step. */
  readonly call?: OpenCall;
  /** `true` if the attempt ended before its turn came. */
  isOver(): boolean;
  /**
   * Submits the end of the step. Throws if it cannot be stored.
   *
   * @param change `null` if the edit has changed nothing; then `onStored` is never called.
   * @param onStored Called once the change has happened, or will never happen.
   * @returns `true` when others may build on it before it is stored.
   */
  submit(answer: unknown, change: PreparedChange | null, onStored: () => void): boolean;
  /** Fails the step; nothing has changed. */
  fail(error: unknown): void;
}

/** The result of the callback, and its changes. */
export interface MadeEdit {
  readonly answer: unknown;
  readonly change: PreparedChange;
}

/** The final edits that hold the lock of a state together, until all of them are stored. */
export class FinishGroup {
  /** The committed state. */
  readonly #read: () => unknown;
  /** Makes the edit directly, or runs its callback on a draft of this state. */
  readonly #change: (before: unknown, finish: FinishEdit) => MadeEdit;
  /** Frees the lock; `null` while it is not held. */
  #release: (() => void) | null = null;
  /** The run whose edits are not stored yet. */
  #run: object | null = null;
  #pending = 0;
  /** The state with these edits. */
  #projected: unknown = null;
  /** `true` if the last of them can be ignored alone. */
  #isSealed = false;
  #isOpening = false;

  constructor(read: () => unknown, change: (before: unknown, finish: FinishEdit) => MadeEdit) {
    this.#read = read;
    this.#change = change;
  }

  get isOpen(): boolean {
    return this.#release !== null;
  }

  /** Begins a group with its first edits. The lock stays held while they are made, even if each is stored at once. */
  open(release: () => void, edits: Iterable<FinishEdit>): void {
    this.#release = release;
    this.#isOpening = true;
    for (const finish of edits) this.#make(finish);
    this.#isOpening = false;
    this.#closeIfStored();
  }

  add(finish: FinishEdit): void {
    this.#make(finish);
    this.#closeIfStored();
  }

  /** Returns whether an edit may build on those that are not stored yet. */
  fits({ run }: FinishEdit): boolean {
    return this.#pending === 0 || (this.#run === run && !this.#isSealed);
  }

  #make(finish: FinishEdit): void {
    if (finish.isOver()) return;
    const before = this.#pending > 0 ? this.#projected : this.#read();
    try {
      const made = this.#change(before, finish);
      if (made.change.next === before) finish.submit(made.answer, null, () => {});
      else this.#send(finish, made, before);
    } catch (error) {
      finish.fail(error);
    }
  }

  #send(finish: FinishEdit, { answer, change }: MadeEdit, before: unknown): void {
    this.#pending++;
    this.#run = finish.run;
    this.#projected = change.next;
    try {
      if (!finish.submit(answer, change, () => this.#onStored())) this.#isSealed = true;
    } catch (error) {
      this.#pending--;
      this.#projected = before;
      throw error;
    }
  }

  #onStored(): void {
    this.#pending--;
    this.#closeIfStored();
  }

  #closeIfStored(): void {
    if (this.#pending > 0 || this.#isOpening || this.#release === null) return;
    const release = this.#release;
    this.#release = null;
    this.#run = null;
    this.#projected = null; // a state may be large
    this.#isSealed = false;
    release();
  }
}
