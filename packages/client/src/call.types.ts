/** What calls about runs and calls about schedules share. */

export type RunLabels = { readonly [name: string]: string };

/** Options of every call. */
export interface CallOptions {
  /** Aborts the waiting. The run continues: use `cancel()` to stop it. */
  readonly signal?: AbortSignal;
}

/** Options of calls that change something. */
export interface KeyedOptions extends CallOptions {
  /**
   * Idempotency key: the server treats a second request with the same key as the first one. 1 to 200 ASCII characters.
   * @default a random UUID
   */
  readonly key?: string;
}

/** Place of a run or of the runs of a schedule in a queue. */
export interface QueueTicket {
  readonly name: string;
  readonly key: string;
  readonly priority: number;
}
