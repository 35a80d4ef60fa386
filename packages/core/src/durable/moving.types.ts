/**
 * A run on its way from one store to another: a list of plain JSON parts, the first of type `run`, the last of type `end`.
 *
 * What the texts of a store hold stands in them as it is there, with its large values in their places: no part names a blob.
 *
 * @module
 */
import type { RecordKey, StoredStatus } from "./run-store.types.js";
import type { TenantOptions } from "./runtime-names.types.js";

/** Version of the form. A reader takes its own and every older one. */
export const EXPORT_FORMAT = 1;

export type ExportedPart =
  | ExportedHead
  /** The code that ticks and snapshots were live with, by the name that they give it. */
  | { readonly type: "code"; readonly name: string; readonly text: string }
  | ExportedTicks
  | { readonly type: "snapshot"; readonly tick: number; readonly atMs: number; readonly snapshot: unknown }
  | { readonly type: "event"; readonly sequence: number; readonly atMs: number; readonly shown: unknown }
  | ExportedPost
  | { readonly type: "received"; readonly key: string; readonly receipt: unknown }
  | { readonly type: "record"; readonly kind: string; readonly id: string; readonly value: unknown }
  /** How many parts there are with this one. */
  | { readonly type: "end"; readonly parts: number };

export interface ExportedHead {
  readonly type: "run";
  readonly format: number;
  /** Of this move: made up, unique. A second import of it changes nothing. */
  readonly move: string;
  readonly tenant: string;
  readonly runId: string;
  readonly workflow: string;
  readonly status: StoredStatus;
  readonly input: unknown;
  /** Name of the code that it was created with. */
  readonly code: string;
  /** Number of the last tick. */
  readonly ticks: number;
  readonly createdAtMs: number;
  readonly startAtMs: number;
  readonly updatedAtMs: number;
  readonly labels: { readonly [name: string]: string };
  readonly forkedFrom: { readonly runId: string; readonly tick: number } | null;
  readonly queue: { readonly name: string; readonly key: string; readonly priority: number } | null;
  /** The prompts of a run that waits. */
  readonly waiting: unknown;
}

/** A message without a receipt. */
export interface ExportedPost {
  readonly type: "post";
  /** The tick that takes it, if one has, names it. */
  readonly position: number;
  readonly key: string | null;
  readonly atMs: number;
  readonly message: unknown;
}

/** Ticks number `first` to `last`. */
export interface ExportedTicks {
  readonly type: "ticks";
  readonly first: number;
  readonly last: number;
  readonly atMs: number;
  readonly entries: readonly unknown[];
}

export interface ExportOptions extends TenantOptions {
  /** Records that move with the run, beside those that its start event names. @default none */
  readonly records?: readonly Pick<RecordKey, "kind" | "id">[];
}

export interface ImportOptions extends TenantOptions {
  /**
   * Where the store has another record under the key of one that comes: `"refuse"` fails with `RECORD_CONFLICT`, `"keep"` keeps the one
   * that is there. @default "refuse"
   */
  readonly records?: "refuse" | "keep";
}

export interface ImportedRun {
  readonly runId: string;
  readonly tenant: string;
  /** False: this very export was imported before. */
  readonly isNew: boolean;
}
