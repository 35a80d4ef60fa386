/**
 * The state of a run, as steps and callers hold it.
 *
 * @module
 */
import type { Frozen, SlotAt, StatePath, ValueAt } from "./path.types.js";

/** An open record, for a workflow without `withState`. */
export interface OpenState {
  [key: string]: unknown;
}

/** What `editState` hands out. */
export type Editable<State> = unknown extends State ? OpenState : State;

export interface WriteOptions {
  /** Tells this write from others of its kind in the same step, for a second attempt. @default its path and position */
  readonly key?: string;
}

/**
 * Reads are frozen; writes commit at once and are checked by the schema of the state.
 *
 * `out` is declared, not measured: a step or helper may ask for a part of the state, or for none of it, and the compiler
 * then compares two states instead of every method of two stores. It would refuse to measure it, because conditional
 * types over a type parameter have no variance; what it fears, writing a state that lacks fields, the schema refuses at commit.
 */
export interface Store<
  // biome-ignore lint/suspicious/noTsIgnore: see above
  /** @ts-ignore [2636] -- see above; `ignore`, because the comment also has to hold in the emitted `.d.ts` */
  out State = unknown,
> {
  /** The whole state. */
  get(): Promise<Frozen<Editable<State>>>;
  /** The value at a dotted path, `"user.tags.0"`; `undefined` where there is none. */
  get<const Path extends string>(path: StatePath<State, Path>): Promise<Frozen<ValueAt<State, Path>>>;
  /** The value at a dotted path, or `fallback` where there is none. */
  get<const Path extends string, Fallback>(
    path: StatePath<State, Path>,
    fallback: Fallback,
  ): Promise<Exclude<Frozen<ValueAt<State, Path>>, undefined> | Fallback>;

  /**
   * Stores one value. Once per work item; again when the value differs.
   *
   * @throws {WorkflowError} `STATE_INVALID` when the new state does not fit its schema (nothing is stored then),
   * `STATE_PATH` when the path leads through a value that has no fields, `STATE_LOCKED` inside `editState`.
   */
  set<const Path extends string>(
    path: StatePath<State, Path>,
    value: SlotAt<State, Path>,
    options?: WriteOptions,
  ): Promise<void>;

  /**
   * Edits a draft alone, commits it when `edit` returns, and gives what `edit` gave. A throw commits nothing.
   *
   * @throws {WorkflowError} `STATE_INVALID` when the new state does not fit its schema, `STATE_LOCKED` inside another edit.
   */
  editState<Result>(
    edit: (state: Editable<State>) => Result | Promise<Result>,
    options?: WriteOptions,
  ): Promise<Result>;

  getState(): Promise<Frozen<Editable<State>>>;
  /** Replaces the whole state. @throws {WorkflowError} `STATE_INVALID` when it does not fit its schema. */
  setState(state: Editable<State>): Promise<void>;
  /** Back to the defaults of the schema, or to an empty record. */
  clear(): Promise<void>;
}
