/**
 * Where durable runs are kept: the contract of every store. `packages/conformance` is its test suite.
 *
 * The journal of ticks is the truth. All other parts of a commit (streamed events, the summary, snapshots, receipts)
 * follows from ticks that were stored before, so it may come a commit later and is written again after a crash.
 * Texts are JSON that only the runtime reads.
 *
 * @module
 */

import type { Measure, StatisticsQuery, StatisticsRow } from "./statistics.types.js";

export type * from "./statistics.types.js";
export interface RunStore {
  /**
   * `true` if its runs are lost with this process. Then the process may exit while none of its runs is due and no
   * promise of its runtime is open; a process that executes over any other store is a worker, and lives until its runtime is
   * stopped.
   * @default false
   */
  readonly isLocal?: boolean;
  /**
   * `true` if its runs are in the memory of other processes only. A runtime over it starts, reads and messages runs, and claims none.
   * It does not look for due work unless its store `keepsRecords`.
   * @default false
   */
  readonly runsElsewhere?: boolean;
  /** Whether the store with `runsElsewhere` still keeps records, and with them schedules and delayed starts. @default false */
  readonly keepsRecords?: boolean;
  /** Collision-resistant hash of a text, for blobs. */
  hash(text: string): string;
  /** Applies all commits in one transaction, in order, each taken or refused by itself. Resolves once they are on disk. */
  commit(commits: readonly RunCommit[]): Promise<CommitResult[]>;
  /**
   * Takes the lease of one run. Resolves to `null` when there is no such run, another owner holds it, or it has ended (unless
   * `ended`). A run of a queue that this owner does not hold is taken only with `ignoreQueueLimits`: such a lease holds no
   * place.
   */
  claim(key: RunKey, lease: ClaimRequest): Promise<ClaimedRun | null>;
  /**
   * Takes the leases of runs that need an owner, the longest waiting first: the lease of another owner has expired; or the run
   * has no owner, and `wakeAtMs` has come or a post has no receipt yet. A scheduled run is taken only once its time has come. With
   * `workflows`, only runs of these workflows. Runs that this owner holds stay as they are, also when their leases have expired.
   * A run with an `urgent` post without a receipt is taken in any state: ended, before its time, and of any queue, beyond the limits
   * of that queue and without a place.
   *
   * Runs of the named queues that need an owner follow, as many as the limits of each queue allow; runs of other queues stay. A run
   * that is taken has a place of its queue until its lease ends. Keys with a due run take turns: one run each. A key that was
   * served, or that had no run, goes to the end of the line; a key at its limit is passed over and keeps its turn. Within a key:
   * the highest priority, then the earliest `startAtMs`, then the order of creation. An expired lease of another owner on a
   * run of a named queue is ended first, with its place: the run then has no owner, and needs one.
   */
  claimDue(lease: LeaseRequest & DueRuns & { readonly limit: number }): Promise<ClaimedRun[]>;
  /** Extends every lease of this owner, including expired ones that no other owner took. Returns the keys of all runs that it holds. */
  renew(lease: LeaseRequest): Promise<RunKey[]>;
  /**
   * When the next run without an owner wants to be claimed and can be, in epoch milliseconds: if a rate is used up, once it allows
   * the next run. A full queue counts for nothing, because giving a place back is a commit. `null` if there is no such run.
   *
   * With `heldAfterMs`, runs that have an owner count, too: at the end of its lease, and at their own times later than `heldAfterMs`,
   * because the owner may be dead by then. The lease of a run of a named queue counts whatever its workflow is: it holds a place.
   */
  nextWakeAtMs(of?: DueRuns & { readonly heldAfterMs?: number }): Promise<number | null>;

  /**
   * The line of one queue over all tenants: how many runs need a place and have none, and how many have one. A run of the line is
   * `queued`, or will be at the next claim. Reads index entries of these runs alone.
   */
  line(query: LineQuery): Promise<StoredLine>;

  run(key: RunKey): Promise<StoredRun | null>;
  /** Every tenant that has a run. */
  tenants(): Promise<string[]>;
  /** Lists runs, by default the newest first. */
  list(query: RunQuery): Promise<RunPage>;
  /** Counts runs by workflow and status, in any order. Leaves out combinations without runs. */
  counts(query: CountQuery): Promise<RunCount[]>;
  /** Counts runs by the time of their creation and by status. Leaves out combinations without runs. */
  histogram?(query: HistogramQuery): Promise<HistogramBar[]>;
  /** Counts the measures of stored commits, in any order. A store without it counts nothing. */
  statistics?(query: StatisticsQuery): Promise<StatisticsRow[]>;
  /** Deletes the counts of the slots before `slot`, of one tenant or of all. Resolves to how many were deleted. */
  deleteStatistics?(tenant: string | null, slot: number): Promise<number>;
  /** The latest snapshot; with `atOrBelow`, the latest one at or below that tick. `null` if there is none. */
  snapshot(key: RunKey, atOrBelow?: number): Promise<StoredSnapshot | null>;
  /** Tick batches in order, beginning with the one that holds tick `after + 1`. */
  ticks(key: RunKey, range: Range): Promise<TickBatch[]>;
  /**
   * Journals of several runs with one read, in any order: for a store that is far away. At most `maxLength` characters of text in
   * all, the shortest journals first; what is left out is read run by run.
   */
  journals?(keys: readonly RunKey[], maxLength: number): Promise<StoredJournal[]>;
  /** Events of the stream in order, with `sequence > after`. */
  events(key: RunKey, range: Range): Promise<StoredEvent[]>;

  /** Keeps a message for the present or next owner of the run. An ended run keeps `urgent` ones only. Resolves once it is on disk. */
  post(key: RunKey, message: PostedMessage): Promise<PostResult>;
  /** Posts without a receipt, in order: of one run, or of all runs that this owner holds. */
  posts(of: RunKey | { readonly owner: string }): Promise<StoredPost[]>;
  /**
   * Receipt of a message; `null` if it has none.
   *
   * @param of Position of a post, or the idempotency key of a message that was posted or `received`.
   */
  receipt(key: RunKey, of: number | string): Promise<string | null>;
  /** Messages that have both an idempotency key and a receipt, in order, with `position > after`. */
  received(key: RunKey, range: Range): Promise<StoredReceipt[]>;

  record(key: RecordKey): Promise<StoredRecord | null>;
  /** Lists records by id, in the order of code points. */
  records(query: RecordQuery): Promise<RecordPage>;
  /**
   * Writes all records in one transaction, outside of any run, or none. Returns the keys of those that do not have the
   * expected version; empty when all were written. Each key at most once.
   *
   * @param options `quiet`: no reader waits for these records, so watchers are not notified. If an answer was lost, a quiet
   * write that was stored may be reported as a conflict. @default not quiet
   */
  writeRecords(writes: readonly RecordWrite[], options?: { readonly quiet?: boolean }): Promise<readonly RecordKey[]>;
  blob(hash: string): Promise<string | null>;

  /**
   * Deletes runs with their ticks, events, posts and snapshots, and blobs that no other run uses. Keeps runs that somebody other
   * than `owner` holds, and with `endedBeforeMs` also runs that have not ended before that time. Returns how many runs were deleted.
   */
  delete(keys: readonly RunKey[], owner?: string, endedBeforeMs?: number): Promise<number>;
  /**
   * Calls `listener` soon after anything was committed, posted or deleted, by any process; with `null` when it may be any run.
   * Returns the function that stops it.
   *
   * A store that names runs changed by other processes passes `change`; one that names only its own changes may leave it out.
   */
  watch(listener: (key: RunKey | null, change?: RunChange) => void): () => void;
  close(): Promise<void>;
}

/**
 * How a run has changed. `"due"`: its owner, or a process that may claim it, has something to do, such as a message, a run without an
 * owner, or records. `"ended"`: the run has ended, was deleted, or went to another store (a commit without contents).
 * `"progressed"`: its owner has stored progress and keeps the run. If several hold, the first of these.
 */
export type RunChange = "due" | "ended" | "progressed";

export interface RunKey {
  readonly tenant: string;
  readonly runId: string;
}

/** `"queued"`: a run of a queue that needs a place, and has none. A store says it of every run in line, whatever it was before. */
export type StoredStatus = "scheduled" | "queued" | "running" | "waiting" | EndedStatus;
export type EndedStatus = "completed" | "failed" | "cancelled" | "timedOut";

export interface StoredRun extends Omit<NewRunRecord, "index"> {
  readonly key: RunKey;
  readonly version: string | null;
  readonly status: StoredStatus;
  readonly updatedAtMs: number;
  readonly endedAtMs: number | null;
  readonly wakeAtMs: number | null;
  /** How the run ended, and what it waits for, as JSON; `null` for neither. */
  readonly outcome: string | null;
  readonly waiting: string | null;
  /** Number of the last stored tick; 0 before the first. */
  readonly ticks: number;
  /** Sequence number of the last stored event of the stream; -1 before the first. */
  readonly lastEvent: number;
  readonly lease: Lease | null;
  /** Rises with every new owner; 0 before the first. */
  readonly epoch: number;
  /** `true` if its lease holds a place of its queue. */
  readonly hasPlace: boolean;
}

export interface NewRunRecord {
  readonly workflow: string;
  readonly input: string;
  /** Hash of the blob with the routing tables of the code that the run was created with. */
  readonly code: string;
  /** Version of the program that the run was created with, or that has continued it last. @default null: not known */
  readonly version?: string | null;
  readonly createdAtMs: number;
  readonly startAtMs: number;
  readonly labels: { readonly [name: string]: string };
  /** Values of the input by which lists find the run, by name; no value twice. A store returns them with no run. @default none */
  readonly index?: { readonly [name: string]: readonly string[] };
  readonly forkedFrom: { readonly runId: string; readonly tick: number } | null;
  /** The queue that the run waits in; `null` for none. */
  readonly queue: QueueTicket | null;
}

/** The place of a run in the line of a queue. */
export interface QueueTicket {
  readonly name: string;
  /** Keys take turns; `""` is a key, too. */
  readonly key: string;
  /** Within a key, the highest comes first. An integer from -2,147,483,648 to 2,147,483,647. */
  readonly priority: number;
}

/** The limits of a queue that one process obeys; `null` for no limit. */
export interface QueueLimits {
  readonly name: string;
  /** Maximum number of runs with a place, in the queue and per key; 0: no run gets one. */
  readonly concurrency: number | null;
  readonly perKey: number | null;
  /** How many runs may get their first place within any window of `perMs` milliseconds. */
  readonly rate: { readonly limit: number; readonly perMs: number } | null;
}

/** Query of the line of a queue. */
export interface LineQuery {
  readonly queue: string;
  readonly nowMs: number;
  /** Maximum number of keys to return; 0 for none. */
  readonly keys: number;
  /** A run whose place in the line is returned as `ahead`. @default none */
  readonly of?: RunKey;
}

export interface StoredLine extends LineCounts {
  /** Keys with runs: the longest lines first, then those with the most places, then by key. */
  readonly keys: readonly (LineCounts & { readonly key: string })[];
  /**
   * How many runs get a place before the run `of`, if keys take turns and no limit of a key holds it up. `null` if it is not in the
   * line.
   */
  readonly ahead: number | null;
}

export interface LineCounts {
  /** Number of runs in the line. */
  readonly waiting: number;
  /** Number of runs with a place. */
  readonly placed: number;
  /** When the run that waits the longest began to need a place, in epoch milliseconds; `null` for an empty line. */
  readonly oldestAtMs: number | null;
}

export interface Lease {
  readonly owner: string;
  readonly untilMs: number;
}

export interface LeaseRequest extends Lease {
  readonly nowMs: number;
}

export interface ClaimRequest extends LeaseRequest {
  /** Takes also a run that has ended. @default false */
  readonly ended?: boolean;
  /** Claims a run of a queue even beyond its limits, and without a place. @default false */
  readonly ignoreQueueLimits?: boolean;
  /** The owner is not a process: the lease lasts until its time, even if the process that took it dies. @default false */
  readonly sealed?: boolean;
}

export interface DueRuns {
  /** Workflows of the runs. @default all */
  readonly workflows?: readonly string[];
  /** Queues whose runs are included, besides the runs without a queue. Each name once. @default none */
  readonly queues?: readonly QueueLimits[];
}

/** A run with its new lease and epoch, and its posts without a receipt. */
export interface ClaimedRun {
  readonly run: StoredRun;
  readonly posts: readonly StoredPost[];
}

/** One atomic change of a run. A refused commit changes nothing. */
export interface RunCommit {
  readonly key: RunKey;
  /**
   * Creates the run; refused as `exists` when there is one. With a `lease`, `owner` holds it with epoch 1; with `null`, it
   * has no owner.
   */
  readonly create?: NewRunRecord & { readonly lease: Lease | null };
  /** Owner that holds the run. Without `create`, the commit is refused as `fenced` unless `owner` holds the run with this epoch. */
  readonly owner: string | null;
  readonly epoch: number;
  /** Refused as `fenced` unless its first tick follows the last stored one. */
  readonly ticks?: TickBatch;
  readonly events?: readonly StoredEvent[];
  /**
   * Deletes events of the stream by their sequence numbers, never the last one: a later event contains them. Unknown numbers
   * count for nothing. A store may keep them.
   */
  readonly forget?: readonly number[];
  readonly summary?: RunSummary;
  /** Version of the program that continues the run; `null` if not known. If it is absent, the version stays. */
  readonly version?: string | null;
  /** Counts that `statistics` adds in the transaction of this commit. */
  readonly measures?: readonly Measure[];
  readonly snapshot?: StoredSnapshot;
  readonly receipts?: readonly { readonly position: number; readonly receipt: string }[];
  /** Messages that were never posted, with their keys: from now on, a post with such a key is a duplicate. */
  readonly received?: readonly ReceivedMessage[];
  /** Messages that were posted to the run where it was before, in order, with `create`. Keys are unique. */
  readonly posts?: readonly PostedMessage[];
  /** Records to write. The commit is refused as `conflict` unless each has the expected version. */
  readonly records?: readonly RecordWrite[];
  /** Blobs that the texts of this commit name. Each is stored once, and kept as long as a text names it. */
  readonly blobs?: readonly { readonly hash: string; readonly text: string }[];
  /** Deletes tick batches that end at or below tick `ticks`, and snapshots below tick `snapshots`. */
  readonly prune?: { readonly ticks: number; readonly snapshots: number };
  /** Ends the lease. */
  readonly release?: true;
}

export type CommitResult =
  | { readonly status: "stored" }
  | { readonly status: "exists"; readonly run: StoredRun }
  | { readonly status: "fenced" }
  | { readonly status: "conflict"; readonly records: readonly RecordKey[] };

export interface RunSummary {
  readonly status: StoredStatus;
  readonly atMs: number;
  readonly wakeAtMs: number | null;
  readonly outcome: string | null;
  readonly waiting: string | null;
  /** Id of the kind of failure that ended the run, which `failure` of a query finds. Absent for a run that has not failed. */
  readonly failure?: string;
  /** Step at which the run failed or timed out, which `failedStep` of a query finds. Absent for a run without such a step. */
  readonly failedStep?: string;
}

/** The ticks of one commit: numbers `first` to `last`. */
export interface TickBatch {
  readonly first: number;
  readonly last: number;
  readonly atMs: number;
  readonly text: string;
}

/** The run after tick number `tick`. */
export interface StoredSnapshot {
  readonly tick: number;
  readonly atMs: number;
  readonly text: string;
}

/** The latest snapshot of a run, and every tick batch since. */
export interface StoredJournal {
  readonly key: RunKey;
  readonly snapshot: StoredSnapshot | null;
  readonly ticks: readonly TickBatch[];
  /** Number of the oldest tick that is kept; without ticks, of the one that follows the snapshot. */
  readonly firstTick: number;
}

/** An event of the stream. After a crash it may be written again with the same content: the first stays. */
export interface StoredEvent {
  readonly sequence: number;
  readonly atMs: number;
  readonly text: string;
}

export interface PostedMessage {
  /** A second message with the same key is not stored again. `null` for no key. */
  readonly idempotencyKey: string | null;
  readonly atMs: number;
  readonly text: string;
  /** `true` if the run needs an owner for it at once, also before its time or turn, and after its end. @default false */
  readonly urgent?: boolean;
}

export interface ReceivedMessage {
  /** Idempotency key. If it is known, the stored message stays. */
  readonly idempotencyKey: string;
  readonly receipt: string;
}

export interface StoredReceipt extends ReceivedMessage {
  readonly position: number;
}

export interface StoredPost extends Omit<PostedMessage, "urgent"> {
  readonly key: RunKey;
  /** Position of the post; rises over all runs of the store. */
  readonly position: number;
}

export type PostResult =
  | { readonly status: "stored"; readonly position: number }
  | { readonly status: "duplicate"; readonly position: number; readonly receipt: string | null }
  /** There is no such run: nothing was stored. */
  | { readonly status: "unknown" }
  /** The run has ended, and the message is not urgent: nothing was stored. */
  | { readonly status: "ended"; readonly run: StoredRun };

/** Versioned data of a tenant beside its runs, such as a session. */
export interface RecordKey {
  readonly tenant: string;
  readonly kind: string;
  readonly id: string;
}

export interface StoredRecord {
  readonly version: number;
  readonly text: string;
}

export interface RecordWrite extends RecordKey {
  /** Version that the record must have; 0: it must not exist. The write makes it `expected + 1`. */
  readonly expected: number;
  /** The new text; `null` deletes the record. */
  readonly text: string | null;
}

export interface RecordQuery {
  readonly tenant: string;
  readonly kind: string;
  /** Prefix of the ids to list. @default all */
  readonly prefix?: string;
  /** Size of a page, from 1 to 1,000. */
  readonly limit: number;
  /** `cursor` of the page before. @default the first page */
  readonly cursor?: string;
}

export interface RecordPage {
  readonly records: readonly (StoredRecord & RecordKey)[];
  /** Cursor of the next page; `null` on the last one. */
  readonly cursor: string | null;
}

export interface Range {
  readonly after: number;
  readonly limit: number;
}

/** Filter of listed runs, which satisfy every given part. An empty list matches nothing. */
export interface RunQuery {
  readonly tenant: string;
  readonly workflow?: string;
  readonly status?: readonly StoredStatus[];
  readonly version?: string;
  readonly labels?: { readonly [name: string]: string };
  /** Runs whose `index` has this value under each name. */
  readonly index?: { readonly [name: string]: string };
  readonly queue?: string;
  /** Runs that a failure of this kind has ended. */
  readonly failure?: string;
  /** Runs that a failure of this step has ended. */
  readonly failedStep?: string;
  readonly createdAfterMs?: number;
  readonly createdBeforeMs?: number;
  readonly endedBeforeMs?: number;
  /**
   * Search text for which `matchesSearch` holds. For one page, a store looks at a limited number of runs that satisfy the
   * other conditions, and returns what it has found with a cursor: pages may be short, or empty, before the last one.
   */
  readonly search?: string;
  /** Order by `createdAtMs`. @default "newest": the newest come first */
  readonly order?: RunOrder;
  /** Size of a page, from 1 to 1,000. */
  readonly limit: number;
  /** `cursor` of the page before, in the same order. @default the first page */
  readonly cursor?: string;
}

export type RunOrder = "newest" | "oldest";

export interface CountQuery {
  readonly tenant: string;
  readonly workflow?: string;
  readonly labels?: { readonly [name: string]: string };
}

/** Filter of runs that are counted over time: those that a list with these conditions has. */
export interface HistogramQuery extends Omit<RunQuery, "search" | "order" | "limit" | "cursor"> {
  /** First time that is counted, and length of a period; a run of period 0 was created in `createdAtMs >= fromMs`. Integers. */
  readonly fromMs: number;
  readonly periodMs: number;
  /** Number of periods, at least 1: what was created after them is not counted. */
  readonly periods: number;
}

export interface HistogramBar {
  /** Number of the period. */
  readonly period: number;
  readonly status: StoredStatus;
  readonly count: number;
}

export interface RunCount {
  readonly workflow: string;
  readonly status: StoredStatus;
  readonly count: number;
}

export interface RunPage {
  readonly runs: readonly StoredRun[];
  /** Cursor of the next page; `null` on the last one. */
  readonly cursor: string | null;
}
