/**
 * A run on its way from one store to another: a list of plain JSON parts, the first of type `run`, the last of type `end`.
 *
 * The parts hold the texts of the store, with large values inlined: no part names a blob.
 *
 * @module
 */

import type { RecordKey, RunKey, StoredStatus } from "../store/run-store.types.js";
import type { TenantOptions } from "./run-filter.types.js";

/** Version of the format. A reader accepts its own version and every older one. */
export const EXPORT_FORMAT = 1;

export type ExportedPart =
  | ExportedHead
  /** Code that ticks and snapshots refer to by this name. */
  | { readonly type: "code"; readonly name: string; readonly text: string }
  | ExportedTicks
  | { readonly type: "snapshot"; readonly tick: number; readonly atMs: number; readonly snapshot: unknown }
  | { readonly type: "event"; readonly sequence: number; readonly atMs: number; readonly shown: unknown }
  | ExportedPost
  | { readonly type: "received"; readonly key: string; readonly receipt: unknown }
  | { readonly type: "record"; readonly kind: string; readonly id: string; readonly value: unknown }
  /** Number of parts, this one included. */
  | { readonly type: "end"; readonly parts: number };

export interface ExportedHead extends RunKey {
  readonly type: "run";
  readonly format: number;
  /** Id of this move, unique. A second import of it changes nothing. */
  readonly move: string;
  readonly workflow: string;
  /** `null` if it follows from the ticks; a run that has not ended is due at once. */
  readonly status: StoredStatus | null;
  readonly input: unknown;
  /** Name of the code that the run was created with. Empty: the code of the importing runtime. */
  readonly code: string;
  /** Version of the program that has continued the run last. @default null: not known */
  readonly version?: string | null | undefined;
  /** Number of the last tick. */
  readonly ticks: number;
  readonly createdAtMs: number;
  readonly startAtMs: number;
  readonly updatedAtMs: number;
  readonly labels: { readonly [name: string]: string };
  readonly forkedFrom: { readonly runId: string; readonly tick: number } | null;
  readonly queue: { readonly name: string; readonly key: string; readonly priority: number } | null;
  /** The open prompts, if the run waits. */
  readonly waiting: unknown;
}

/** A message without a receipt. */
export interface ExportedPost {
  readonly type: "post";
  /** Position of the message. The tick that takes the message names it. */
  readonly position: number;
  readonly key: string | null;
  readonly atMs: number;
  readonly message: unknown;
}

/** Ticks with the numbers `first` to `last`. */
export interface ExportedTicks {
  readonly type: "ticks";
  readonly first: number;
  readonly last: number;
  readonly atMs: number;
  readonly entries: readonly unknown[];
}

export interface ExportOptions extends TenantOptions {
  /** Records that move with the run, besides those that its start event names. @default none */
  readonly records?: readonly Pick<RecordKey, "kind" | "id">[];
}

export interface ImportOptions extends TenantOptions {
  /**
   * Reaction to another record with the same key in the store: `"refuse"` fails with `RECORD_CONFLICT`, `"keep"` keeps the
   * existing record.
   *
   * @default "refuse"
   */
  readonly records?: "refuse" | "keep";
}

export interface ImportedRun extends RunKey {
  /** `false` if this export was imported before. */
  readonly isNew: boolean;
}
