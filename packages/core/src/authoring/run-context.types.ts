import type { Store } from "./store.types.js";

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
