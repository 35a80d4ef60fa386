import type { Store } from "./store.types.js";

/** A run's context as seen from outside: `handler.context`, `new Context(workflow)`, `Context.fromDict(...)`. */
export interface RunContext<State = unknown> {
  readonly runId: string;
  readonly store: Store<State>;
  /**
   * The snapshot: plain JSON, at any moment, any number of times.
   *
   * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` with the path of a value that cannot be stored.
   */
  toDict(options?: ToDictOptions): ContextDict;
}

/** A snapshot. Opaque; checked, field by field, by `Context.fromDict`. */
export interface ContextDict {
  readonly format: string;
  readonly version: number;
  readonly [key: string]: unknown;
}

/** Compresses or encrypts the JSON text of a snapshot. */
export interface SnapshotCodec {
  /** Written into the snapshot, and compared when it is read. */
  readonly name: string;
  encode(json: string): string;
  decode(text: string): string;
}

export interface ToDictOptions {
  readonly codec?: SnapshotCodec;
}

export interface FromDictOptions {
  /** Called with the snapshot before it is checked; gives the one to use. */
  readonly migrate?: (dict: ContextDict) => unknown;
  /** The one it was written with. */
  readonly codec?: SnapshotCodec;
}
