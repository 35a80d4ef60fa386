/**
 * Types of the state of a run, for steps and callers: its store, typed paths into it, and the context of a caller.
 *
 * @module
 */

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

// ---- typed paths: `"user.tags.0"`, or the list of its keys, `["user", "tags", 0]`
// The literal is checked segment by segment, and the list of all paths is never built. So the cost grows with the
// length of the path instead of the size of the state, recursive states work, and the editor completes one level at a
// time.

/** A path stops here. */
// any: only the shape of the container matters.
type Leaf =
  | Primitive
  | Date
  | RegExp
  | Error
  | ReadonlyMap<any, any>
  | ReadonlySet<any>
  | ArrayBufferView
  | ((...args: any) => unknown);
type Primitive = string | number | bigint | boolean | symbol | null | undefined;

/** The segments that may follow; for a union, those of every member. */
type Segment<State> = State extends Leaf
  ? never
  : State extends readonly unknown[]
    ? `${number}`
    : `${Extract<keyof State, string | number>}`;

/**
 * `Path` itself when it is valid, else the valid continuations. A state without a type accepts any path, and so does a
 * path that is only known at runtime. (`Path` must stand alone in one branch, from which the compiler infers it.)
 */
type StatePath<State, Path extends AnyPath> =
  IsDynamic<State, Path> extends true
    ? Path
    : Path extends string
      ? Walk<State, Path>
      : Path extends Keys
        ? KeyWalk<State, Path>
        : never;

/** A dotted path, or the list of its keys. */
type AnyPath = string | Keys;
type Keys = readonly (string | number)[];

type IsDynamic<State, Path> = unknown extends State ? true : string extends Path ? true : false;

/**
 * Walks as `Walk` does. A path after a key that is only known at runtime is not checked, unless every key leads to the same
 * type.
 */
type KeyWalk<State, Path extends Keys> = Path extends readonly [
  infer Head extends string | number,
  ...infer Rest extends Keys,
]
  ? `${Head}` extends Segment<State>
    ? readonly [Head, ...KeyWalk<Child<State, `${Head}`>, Rest>]
    : string extends Head
      ? Path
      : readonly [Segment<State>, ...Keys]
  : Path;

type ReadKeys<State, Path extends Keys> = Path extends readonly [
  infer Head extends string | number,
  ...infer Rest extends Keys,
]
  ? `${Head}` extends Segment<NonNullable<State>>
    ? ReadKeys<Child<State, `${Head}`>, Rest>
    : unknown
  : Path extends readonly []
    ? State
    : unknown;

type WriteKeys<State, Path extends Keys> = Path extends readonly [
  infer Head extends string | number,
  ...infer Rest extends Keys,
]
  ? `${Head}` extends Segment<State>
    ? Rest extends readonly []
      ? FieldOf<State, `${Head}`, never>
      : WriteKeys<NonNullable<Child<State, `${Head}`>>, Rest>
    : unknown
  : unknown;

type Walk<State, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? Head extends Segment<State>
    ? Deeper<Head, Child<State, Head>, Rest>
    : Segment<State>
  : Segment<State>;

type Deeper<Head extends string, State, Rest extends string> = [Segment<State>] extends [never]
  ? Head
  : `${Head}.${Walk<State, Rest>}`;

/** The value at a path. Includes `undefined` when a part of the path may be missing. */
type ValueAt<State, Path extends AnyPath> =
  IsDynamic<State, Path> extends true
    ? unknown
    : Path extends string
      ? Read<State, Path>
      : Path extends Keys
        ? ReadKeys<State, Path>
        : never;

type Read<State, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? Read<Child<State, Head>, Rest>
  : Child<State, Path>;

/** The type that may be stored at a path, whether or not the path exists yet. */
type SlotAt<State, Path extends AnyPath> =
  IsDynamic<State, Path> extends true
    ? unknown
    : Path extends string
      ? Write<State, Path>
      : Path extends Keys
        ? WriteKeys<State, Path>
        : never;

type Write<State, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? Write<Exclude<Child<State, Head>, undefined | null>, Rest>
  : FieldOf<State, Path, never>;

type Child<State, Key extends string> = FieldOf<State, Key, undefined>;

/** The field of this name; `Missing` is the type of one that does not exist, or may not. */
type FieldOf<State, Key extends string, Missing> = State extends Leaf
  ? Missing
  : State extends readonly (infer Item)[]
    ? Item | Missing
    : Key extends keyof State
      ? string extends keyof State
        ? State[Key] | Missing
        : State[Key]
      : Key extends `${infer Index extends number}`
        ? Index extends keyof State
          ? State[Index]
          : Missing
        : Missing;

/** The value, or the fallback for a missing one. A value of unknown type has that of the fallback, unless it is `null` or `[]`. */
type ValueOr<Value, Fallback> = unknown extends Value ? OfFallback<Fallback> : Exclude<Value, undefined> | Fallback;
type OfFallback<Fallback> = [Fallback] extends [null | undefined]
  ? unknown
  : [Fallback] extends [readonly never[]]
    ? readonly unknown[]
    : Frozen<Widened<Fallback>>;
type Widened<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends boolean
      ? boolean
      : Value;

/** Reads are frozen. */
type Frozen<Value> = [Value] extends [Leaf] ? Value : unknown extends Value ? Value : FrozenEach<Value>;
type FrozenEach<Value> = Value extends Leaf ? Value : { readonly [Key in keyof Value]: Frozen<Value[Key]> };

/** Context of a run for callers: `handler.context`, `new Context(workflow)`, `Context.fromDict(...)`. */
export interface RunContext<State = unknown> {
  readonly runId: string;
  readonly store: Store<State>;
  /**
   * Makes a snapshot as plain JSON. May be called at any time and repeatedly.
   *
   * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` with the path of a value that cannot be stored.
   */
  toDict(options?: ToDictOptions): ContextDict;
}

/** A snapshot. Opaque; `Context.fromDict` checks every field. */
export interface ContextDict {
  readonly format: string;
  readonly version: number;
  readonly [key: string]: unknown;
}

/** Compresses or encrypts the JSON text of a snapshot. */
export interface SnapshotCodec {
  /** Stored in the snapshot, and compared when it is read. */
  readonly name: string;
  encode(json: string): string;
  decode(text: string): string;
}

export interface ToDictOptions {
  readonly codec?: SnapshotCodec;
}

/** Options of `Context.fromDict`. */
export interface FromDictOptions {
  /** Called with the snapshot before it is checked; returns the snapshot to use. */
  readonly migrate?: (dict: ContextDict) => unknown;
  /** Codec with which the snapshot was written. */
  readonly codec?: SnapshotCodec;
}
