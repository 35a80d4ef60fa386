/**
 * The state of a run, for steps and callers.
 *
 * @module
 */
import type { AnyPath, Frozen, SlotAt, StatePath, ValueAt, ValueOr } from "./path.types.js";

/** The state of a workflow without `withState`: a record of any values. */
export interface OpenState {
  [key: string]: unknown;
}

/** The draft that `editState` passes. */
export type Editable<State> = unknown extends State ? OpenState : State;

export interface WriteOptions {
  /** Identifies this write among others of its kind in the same step, for later attempts. @default its path and position */
  readonly key?: string;
}

/**
 * Reads are frozen; writes commit at once and are checked by the schema of the state.
 *
 * `out` is declared, not measured: a step or helper may need a part of the state, or none of it, and the compiler then
 * compares two states instead of every method of two stores. It could not measure the variance of conditional types
 * over a type parameter. What it would warn about, writing a state that lacks fields, the schema refuses at commit.
 */
export interface Store<
  // biome-ignore lint/suspicious/noTsIgnore: see above
  /** @ts-ignore [2636] -- see above; `ignore`, because the comment also has to hold in the emitted `.d.ts` */
  out State = unknown,
> {
  /** The whole state. */
  get(): Promise<Frozen<Editable<State>>>;
  /**
   * The value at a path, `"user.tags.0"`; `undefined` when there is none. In place of the dotted text, a list of keys may
   * be given, `["scores", id]`: a key in it may have dots.
   *
   * @throws {WorkflowError} `OPTION_INVALID` when the path leads through a value without fields, as a number or a `Map`.
   */
  get<const Path extends AnyPath>(path: StatePath<State, Path>): Promise<Frozen<ValueAt<State, Path>>>;
  /** The value at a path, or `fallback` if there is none. Where the state has no type, the fallback names that of the value. */
  get<const Path extends AnyPath, Fallback>(
    path: StatePath<State, Path>,
    fallback: Fallback,
  ): Promise<ValueOr<Frozen<ValueAt<State, Path>>, Fallback>>;

  /**
   * Stores one value, once per work item; again when the value differs.
   *
   * @throws {WorkflowError} `STATE_INVALID` when the new state does not fit its schema (nothing is stored then),
   * `OPTION_INVALID` when the path leads through a value without fields, `STATE_LOCKED` inside `editState`.
   */
  set<const Path extends AnyPath>(
    path: StatePath<State, Path>,
    value: SlotAt<State, Path>,
    options?: WriteOptions,
  ): Promise<void>;

  /**
   * Edits a draft exclusively, commits it when `edit` returns, and returns its result. An error commits nothing.
   *
   * @throws {WorkflowError} `STATE_INVALID` when the new state does not fit its schema, `STATE_LOCKED` inside another
   * edit.
   */
  editState<Result>(
    edit: (state: Editable<State>) => Result | Promise<Result>,
    options?: WriteOptions,
  ): Promise<Result>;

  getState(): Promise<Frozen<Editable<State>>>;
  /** Replaces the whole state. @throws {WorkflowError} `STATE_INVALID` when it does not fit its schema. */
  setState(state: Editable<State>): Promise<void>;
  /** Resets the state to the defaults of its schema, or to an empty record. */
  clear(): Promise<void>;
}
