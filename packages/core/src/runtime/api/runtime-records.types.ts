/** Versioned data of a tenant beside its runs, as runtimes and steps read and write it. */
import type { TenantOptions } from "./run-filter.types.js";

/** A record, as it was read. */
export interface RecordValue {
  /** Version of the record, from 1. */
  readonly version: number;
  readonly value: unknown;
}

/** A change of one record. */
export interface RecordEdit {
  readonly kind: string;
  readonly id: string;
  /** The version that was read; 0 if there was no record. */
  readonly expected: number;
  /** The new value. The same kinds of values as in the state of a run. */
  readonly value?: unknown;
  /** Deletes the record instead. */
  readonly delete?: true;
}

/**
 * Records as a step reads and updates them.
 *
 * Updates are stored together with the end of the step: both, or neither. If another writer was faster, the function of an update is
 * called again, with the newer value; the step does not run again. Steps of one process that read or update the same record take
 * turns from the first call on, so keep slow work before it. A turn ends with the attempt, when the attempt waits for something, or
 * after another step has waited for it for ten seconds.
 */
export interface StepRecords {
  /** Tenant of the run; `""` for a run without one. */
  readonly tenant: string;
  /**
   * The record of the run's tenant, with the updates of this attempt. `null` if there is no such record. The result stays the
   * same until the attempt waits for something.
   *
   * @throws {WorkflowError} `OPTION_INVALID` for a kind or an id that no store can keep.
   */
  read(kind: string, id: string): Promise<RecordValue | null>;
  /**
   * Changes a record when the step ends. The result of `change` is the new value; `undefined` deletes the record.
   *
   * `change` is called at once with what this attempt sees of the record, and again before the commit if another writer was faster.
   * So it has to be synchronous and without side effects. What it throws at once rejects the promise. What it throws at the commit
   * is logged; the run is loaded again and continues before this step.
   *
   * @param change Gets a copy of the value; `undefined` if there is no record.
   * @returns the value that it made at once. If another writer was faster, the stored one differs: to decide by it, keep the
   * decision in the record, and read it in the next step.
   * @throws {WorkflowError} `VALUE_UNSERIALIZABLE`; `OPTION_INVALID` for a name that no store can keep, and for an async function.
   */
  update<Value = unknown>(
    kind: string,
    id: string,
    change: (current: Value | undefined) => Value | undefined,
  ): Promise<Value | undefined>;
}

export interface RecordListQuery extends TenantOptions {
  readonly kind: string;
  /** Prefix of the ids to list. @default all */
  readonly prefix?: string;
  /** Size of a page, from 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** `cursor` of the page before. @default the first page */
  readonly cursor?: string;
}

export interface RecordList {
  readonly records: readonly (RecordValue & { readonly id: string })[];
  /** Cursor of the next page; `null` on the last one. */
  readonly cursor: string | null;
}

/** Name of a record. */
export interface RecordName extends TenantOptions {
  readonly kind: string;
  readonly id: string;
}

/** Versioned data of a tenant beside its runs, from outside of runs. In a step, use `recordsOf(ctx)`. */
export interface RuntimeRecords {
  read(kind: string, id: string, options?: TenantOptions): Promise<RecordValue | null>;
  /**
   * Writes all records in one transaction, or none. Each record once.
   *
   * @throws {WorkflowError} `RECORD_CONFLICT` when one of them has another version: read again, and write what follows from that;
   * `OPTION_INVALID`, `VALUE_UNSERIALIZABLE`.
   */
  write(edits: readonly (RecordEdit & TenantOptions)[]): Promise<void>;
  /**
   * Changes one record. The result of `change` is the new value; `undefined` deletes the record. Returns it.
   *
   * If another writer was faster, `change` is called again with the newer value, so it has to be synchronous and without side effects.
   *
   * @param change Gets a copy of the value; `undefined` if there is no record.
   * @throws {WorkflowError} `OPTION_INVALID`, also for an async function; `VALUE_UNSERIALIZABLE`; what `change` throws.
   */
  update<Value = unknown>(
    record: RecordName,
    change: (current: Value | undefined) => Value | undefined,
  ): Promise<Value | undefined>;
  /** Lists records by id, in the order of code points, in pages. */
  list(query: RecordListQuery): Promise<RecordList>;
}
