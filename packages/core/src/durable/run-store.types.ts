/**
 * Where durable runs are kept: the contract of every store. `packages/conformance` is its test suite.
 *
 * The journal of ticks is the truth. Everything else that a commit carries (streamed events, the summary, snapshots, receipts)
 * follows from ticks that were stored before, so it may come a commit later and is written again after a crash.
 * Texts are JSON that only the runtime reads.
 *
 * @module
 */

export interface RunStore {
  /**
   * Whether its runs are gone with this process. Then a process may end while nothing of its own is due; a process with any
   * other store is a worker, and lives until its runtime is stopped. @default false
   */
  readonly isLocal?: boolean;
  /**
   * Whether its runs are in the memory of other processes only: a runtime over it starts, reads and messages them. It claims nothing,
   * and does not look for what is due unless its store `keepsRecords`. @default false
   */
  readonly runsElsewhere?: boolean;
  /** Where `runsElsewhere`: it keeps records all the same, and with them schedules and starts that wait. @default false */
  readonly keepsRecords?: boolean;
  /** Asks whoever has its runs to continue one that has ended, where `runsElsewhere`. Resolves once that is stored. */
  again?(key: RunKey, request: AgainRequest): Promise<AgainResult>;
  /** Collision-resistant hash of a text, for blobs. */
  hash(text: string): string;
  /** Applies all commits in one transaction, in order, each taken or refused by itself. Resolves once they are on disk. */
  commit(commits: readonly RunCommit[]): Promise<CommitResult[]>;
  /**
   * Takes the lease of one run. Null: there is no such run, somebody else holds it, or it has ended (unless `ended`). A run of a
   * queue that this owner does not hold is given only `beside` the limits of the queue: such a lease holds no place.
   */
  claim(key: RunKey, lease: ClaimRequest): Promise<ClaimedRun | null>;
  /**
   * Takes the leases of runs that need an owner, longest waiting first: the lease has run out; or nobody holds it, and
   * `wakeAtMs` has come or a post has no receipt yet; a scheduled run only once its time has come. Of these workflows only,
   * where they are named.
   *
   * Runs of the named queues that need an owner follow, as many as the limits of each queue leave; those of other queues stay. A
   * run that is taken has a place of its queue until its lease ends. Keys that have a run to give take turns: one run each, and
   * a key that was served, or that had none, goes to the end of the line; one that is at its limit is passed over and keeps its
   * turn. Within a key: the highest priority, then the earliest `startAtMs`, then as they were created. A lease of a run of a
   * named queue that has run out is ended first, with its place: the run is nobody's, and needs an owner.
   */
  claimDue(lease: LeaseRequest & DueRuns & { readonly limit: number }): Promise<ClaimedRun[]>;
  /** Prolongs every lease of this owner, also one that has run out and that nobody took. Gives the keys of all it holds. */
  renew(lease: LeaseRequest): Promise<RunKey[]>;
  /**
   * When the next run that nobody holds wants to be claimed, and could be: where a rate is used up, once it allows the next run. A
   * queue that is full has none: whoever gives a place back commits something.
   */
  nextWakeAtMs(of?: DueRuns): Promise<number | null>;
  /** What `claimDue` would take now, in its order, and when there is something to take. Takes nothing. */
  due(of: DueRuns & { readonly nowMs: number; readonly limit: number }): Promise<StoredDue>;

  run(key: RunKey): Promise<StoredRun | null>;
  /** Every tenant that has a run. */
  tenants(): Promise<string[]>;
  /** Newest first, unless `order` says otherwise. */
  list(query: RunQuery): Promise<RunPage>;
  /** How many runs there are, by workflow and status; none where there are none. In any order. */
  counts(query: CountQuery): Promise<RunCount[]>;
  /** The latest snapshot, where `atOrBelow` says so no later than that tick. */
  snapshot(key: RunKey, atOrBelow?: number): Promise<StoredSnapshot | null>;
  /** In order, from the batch that holds tick `after + 1`. */
  ticks(key: RunKey, range: Range): Promise<TickBatch[]>;
  /** In order, with `sequence > after`. */
  events(key: RunKey, range: Range): Promise<StoredEvent[]>;

  /** Keeps a message for whoever runs the run, now or later. Resolves once it is on disk. */
  post(key: RunKey, message: PostedMessage): Promise<PostResult>;
  /** Posts without a receipt: of one run, or of all runs that this owner holds. In order. */
  posts(of: RunKey | { readonly owner: string }): Promise<StoredPost[]>;
  /** @param of The position of a post, or the idempotency key of what was posted or `received`. */
  receipt(key: RunKey, of: number | string): Promise<string | null>;
  /** What has both an idempotency key and a receipt, in order, with `position > after`. */
  received(key: RunKey, range: Range): Promise<StoredReceipt[]>;

  record(key: RecordKey): Promise<StoredRecord | null>;
  /** By id, in the order of code points. */
  records(query: RecordQuery): Promise<RecordPage>;
  /**
   * Writes all of them in one transaction, outside any run, or none: then it gives the keys of those that do not have the
   * expected version. Each key once.
   */
  writeRecords(writes: readonly RecordWrite[]): Promise<readonly RecordKey[]>;
  blob(hash: string): Promise<string | null>;

  /**
   * Everything of these runs: ticks, events, posts, snapshots, and blobs that no other run uses. Runs that somebody else than `owner`
   * holds stay. Gives how many went.
   */
  delete(keys: readonly RunKey[], owner?: string): Promise<number>;
  /**
   * Calls `listener` soon after anything was committed or posted, by any process. Null: it may be any run. Gives the way to stop.
   *
   * A store that names runs which other processes have changed says what is new of each; one that names its own changes only may leave
   * it out.
   */
  watch(listener: (key: RunKey | null, news?: RunNews) => void): () => void;
  close(): Promise<void>;
}

/**
 * What became of a run: `"due"`, there is something for whoever has it or may take it up, such as a message, a run that is nobody's, or
 * records; `"ended"`; `"further"`, its owner has brought it further, and keeps it. Where it is more than one: the first of these.
 */
export type RunNews = "due" | "ended" | "further";

export interface AgainRequest {
  readonly how: "resume" | "retry";
  /** A second request with the same key changes nothing. */
  readonly idempotencyKey: string | null;
}

/** `refused`: a run that is as this one is cannot be continued that way. */
export type AgainResult =
  | { readonly status: "accepted" }
  | { readonly status: "unknown" }
  | { readonly status: "refused"; readonly run: StoredRun };

export interface RunKey {
  readonly tenant: string;
  readonly runId: string;
}

export type StoredStatus = "scheduled" | "running" | "waiting" | EndedStatus;
export type EndedStatus = "completed" | "failed" | "cancelled" | "timedOut";

export interface StoredRun extends NewRunRecord {
  readonly key: RunKey;
  readonly status: StoredStatus;
  readonly updatedAtMs: number;
  readonly endedAtMs: number | null;
  readonly wakeAtMs: number | null;
  /** How it ended, and what it waits for: JSON. */
  readonly outcome: string | null;
  readonly waiting: string | null;
  /** Number of the last stored tick. 0 before the first. */
  readonly ticks: number;
  /** Sequence number of the last stored event of the stream; -1 before the first. */
  readonly lastEvent: number;
  readonly lease: Lease | null;
  /** Rises with every owner. 0 before the first. */
  readonly epoch: number;
  /** Its lease is a place of its queue. */
  readonly hasPlace: boolean;
}

export interface NewRunRecord {
  readonly workflow: string;
  readonly input: string;
  /** Hash of the blob with the routing tables that its first tick was live with. */
  readonly code: string;
  readonly createdAtMs: number;
  readonly startAtMs: number;
  readonly labels: { readonly [name: string]: string };
  readonly forkedFrom: { readonly runId: string; readonly tick: number } | null;
  /** Null: it waits for no place. */
  readonly queue: QueueTicket | null;
}

/** Where a run waits for its place. */
export interface QueueTicket {
  readonly name: string;
  /** Keys take turns. `""` is one, too. */
  readonly key: string;
  /** Within its key, the highest comes first. -2,147,483,648 to 2,147,483,647. */
  readonly priority: number;
}

/** What one process knows of a queue. Null: no such limit. */
export interface QueueLimits {
  readonly name: string;
  /** Places of the queue, and of each key. */
  readonly concurrency: number | null;
  readonly perKey: number | null;
  /** How many runs may get their first place in any time of that length. */
  readonly rate: { readonly limit: number; readonly perMs: number } | null;
}

export interface Lease {
  readonly owner: string;
  readonly untilMs: number;
}

export interface LeaseRequest extends Lease {
  readonly nowMs: number;
}

export interface ClaimRequest extends LeaseRequest {
  /** Also a run that has ended. @default false */
  readonly ended?: boolean;
  /** Also a run of a queue, whatever its limits, and without a place. @default false */
  readonly beside?: boolean;
  /** The owner is no process: the lease lasts until its time, whatever becomes of the process that took it. @default false */
  readonly sealed?: boolean;
}

export interface DueRuns {
  /** @default all */
  readonly workflows?: readonly string[];
  /** Beside the runs that are in none. Each name once. @default none */
  readonly queues?: readonly QueueLimits[];
}

export interface StoredDue {
  readonly runs: readonly DueRun[];
  /**
   * The earliest of all, due or not. A run that somebody holds is due when its lease has run out, and counts from its own time
   * where that is still to come: its owner may be found dead then. Null: there is none.
   */
  readonly wakeAtMs: number | null;
}

export interface DueRun {
  readonly key: RunKey;
  readonly workflow: string;
  /** Since when. */
  readonly dueAtMs: number;
}

/** A run with its new lease and epoch, and the posts that wait for it. */
export interface ClaimedRun {
  readonly run: StoredRun;
  readonly posts: readonly StoredPost[];
}

/** What happens to one run at once. A refused commit changes nothing. */
export interface RunCommit {
  readonly key: RunKey;
  /** Creates the run: refused as `exists` when there is one. Held by `owner` with epoch 1, or by nobody when that is null. */
  readonly create?: NewRunRecord & { readonly lease: Lease | null };
  /** Else refused as `fenced` unless this is the run's epoch and `owner` holds it. */
  readonly owner: string | null;
  readonly epoch: number;
  /** Refused as `fenced` unless its first tick follows the last stored one. */
  readonly ticks?: TickBatch;
  readonly events?: readonly StoredEvent[];
  readonly summary?: RunSummary;
  readonly snapshot?: StoredSnapshot;
  readonly receipts?: readonly { readonly position: number; readonly receipt: string }[];
  /** Messages that were never posted, under their keys: from here on a post with such a key is a duplicate. */
  readonly received?: readonly ReceivedMessage[];
  /** With `create`: messages that were posted to the run where it was before, in order. No two with one key. */
  readonly posts?: readonly PostedMessage[];
  /** Refused as `conflict` unless each has the expected version. */
  readonly records?: readonly RecordWrite[];
  /** Those that the texts of this commit name. Stored once; kept as long as what names them. */
  readonly blobs?: readonly { readonly hash: string; readonly text: string }[];
  /** Deletes tick batches that end at or below `ticks`, and snapshots below `snapshots`. */
  readonly prune?: { readonly ticks: number; readonly snapshots: number };
  /** Gives the lease back. */
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
}

/** Ticks of one commit: number `first` to `last`. */
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

/** Written again after a crash with the same content: the first stays. */
export interface StoredEvent {
  readonly sequence: number;
  readonly atMs: number;
  readonly text: string;
}

export interface PostedMessage {
  /** A second message with the same key is not stored again. Null: no key. */
  readonly idempotencyKey: string | null;
  readonly atMs: number;
  readonly text: string;
}

export interface ReceivedMessage {
  /** One that is known stays as it is. */
  readonly idempotencyKey: string;
  readonly receipt: string;
}

export interface StoredReceipt extends ReceivedMessage {
  readonly position: number;
}

export interface StoredPost extends PostedMessage {
  readonly key: RunKey;
  /** Rises over all runs of the store. */
  readonly position: number;
}

export type PostResult =
  | { readonly status: "stored"; readonly position: number }
  | { readonly status: "duplicate"; readonly position: number; readonly receipt: string | null }
  /** There is no such run, or it has ended: nothing was stored. */
  | { readonly status: "unknown" }
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
  /** 0: it must not exist yet. It is then `expected + 1`. */
  readonly expected: number;
  /** Null deletes it. */
  readonly text: string | null;
}

export interface RecordQuery {
  readonly tenant: string;
  readonly kind: string;
  /** Ids that begin with it. @default all */
  readonly prefix?: string;
  /** 1 to 1,000. */
  readonly limit: number;
  /** Of the page before. */
  readonly cursor?: string;
}

export interface RecordPage {
  readonly records: readonly (StoredRecord & RecordKey)[];
  /** Null: this is the last page. */
  readonly cursor: string | null;
}

export interface Range {
  readonly after: number;
  readonly limit: number;
}

/** Every given part must hold. An empty list matches nothing. */
export interface RunQuery {
  readonly tenant: string;
  readonly workflow?: string;
  readonly status?: readonly StoredStatus[];
  readonly labels?: { readonly [name: string]: string };
  readonly queue?: string;
  readonly createdAfterMs?: number;
  readonly createdBeforeMs?: number;
  readonly endedBeforeMs?: number;
  /**
   * Runs for which `matchesSearch` holds. A store looks at so many runs for a page, those that the other conditions leave, and then
   * gives the page with what it has found, and a cursor: pages may be short, also empty, before the last one.
   */
  readonly search?: string;
  /** By `createdAtMs`. @default "newest": those come first */
  readonly order?: RunOrder;
  /** 1 to 1,000. */
  readonly limit: number;
  /** Of the page before, in the same order. */
  readonly cursor?: string;
}

export type RunOrder = "newest" | "oldest";

export interface CountQuery {
  readonly tenant: string;
  readonly workflow?: string;
  readonly labels?: { readonly [name: string]: string };
}

export interface RunCount {
  readonly workflow: string;
  readonly status: StoredStatus;
  readonly count: number;
}

export interface RunPage {
  readonly runs: readonly StoredRun[];
  /** Null: this is the last page. */
  readonly cursor: string | null;
}
