/**
 * The next commit of one run: collects changes until it is sent to the store.
 *
 * Makes the first record of a run from its start event, and the commit that stores it.
 *
 * @module
 */
import {
  classOf,
  type DoneBy,
  initialStore,
  type Outcome,
  type Receipt,
  type RunStarted,
  type TraceContext,
  type WorkflowEvent,
} from "../../../host.js";
import { Deferred } from "../../../system/deferred.js";
import { auditWrites } from "../../audit/audit-entry.js";
import { checkNames } from "../../options/call-options.js";
import { indexedInput } from "../../options/input-index.js";
import type {
  NewRunRecord,
  QueueTicket,
  RecordWrite,
  RunCommit,
  RunKey,
  RunStore,
  RunSummary,
  StoredEvent,
  StoredSnapshot,
} from "../../store/run-store.types.js";
import type { Measure } from "../../store/statistics.types.js";
import { BLOB_LENGTH, type PackedText, packList, packText } from "../../text/blob-text.js";
import { startText } from "../../text/record-text.js";
import type { RegisteredWorkflow } from "../workflows/registered-workflows.js";
import { RecordUpdates } from "./attempt-records.js";

const none: readonly never[] = [];

/** The message that continues a run after its end. */
export interface ContinuedBy {
  /** Position of its post, whose receipt is stored with the ticks; `null` for a message of a caller here. */
  readonly position: number | null;
  /** Called once the ticks are stored. */
  readonly onStored: () => void;
}

export class Commit {
  readonly entries: string[] = [];
  /** Number of entries that are ticks. */
  ticks = 0;
  atMs = 0;
  events: StoredEvent[] | null = null;
  /** Sequence numbers of events that are forgotten soon: a blob of them would stay. */
  passing: ReadonlySet<number> = new Set();
  /** Sequence numbers of events that are no longer needed. */
  forget: number[] | null = null;
  receipts: { readonly position: number; readonly receipt: string }[] | null = null;
  /** The message that its first tick answers: the run continues after its end. */
  continuedBy: ContinuedBy | null = null;
  /** Called when the commit is sent: its lease begins then. */
  create: (() => NonNullable<RunCommit["create"]>) | null = null;
  summary: RunSummary | null = null;
  /** Version of the program from here on. */
  version: string | null | undefined = undefined;
  /** Statistics that its ticks and its summary add. */
  measures: Measure[] | null = null;
  snapshot: StoredSnapshot | null = null;
  prune: NonNullable<RunCommit["prune"]> | null = null;
  release = false;
  /** The end of the run, which its tick causes; `null` if the run may continue. */
  end: Outcome | null = null;
  readonly blobs: { readonly hash: string; readonly text: string }[] = [];
  /** Audit entries of the creation of the run, and of ticks. */
  createdAudit: readonly RecordWrite[] = none;
  audit: readonly RecordWrite[] = none;
  #updates: RecordUpdates | null = null;
  #stored: Deferred<void> | null = null;

  /** Records that steps update with the ticks of their ends. */
  get updates(): RecordUpdates {
    this.#updates ??= new RecordUpdates();
    return this.#updates;
  }

  /** Events alone: they follow from stored ticks, and readers in this process have them already. */
  get isEventsAlone(): boolean {
    const { events, ticks, create, summary, snapshot, prune, receipts, release } = this;
    const hasMore = ticks > 0 || release || receipts !== null || snapshot !== null || prune !== null;
    return events !== null && !hasMore && create === null && summary === null;
  }

  /** @param isPassing `true`: the event is forgotten soon. */
  addEvent(event: StoredEvent, isPassing: boolean): void {
    this.events ??= [];
    this.events.push(event);
    if (isPassing) this.passing = new Set([...this.passing, event.sequence]);
  }

  forgetEvents(sequences: readonly number[]): void {
    if (sequences.length > 0) this.forget = [...(this.forget ?? []), ...sequences];
  }

  addAudit(entries: readonly RecordWrite[]): void {
    if (entries.length > 0) this.audit = [...this.audit, ...entries];
  }

  addReceipt(position: number, receipt: Receipt): void {
    this.receipts ??= [];
    this.receipts.push({ position, receipt: JSON.stringify(receipt) });
  }

  dropTicks(): void {
    this.entries.length = 0;
    this.ticks = 0;
    this.end = null;
    this.continuedBy = null;
    this.version = undefined;
    this.audit = none;
    this.measures = null;
    this.settleUpdates();
  }

  /** The updates of records are stored, or never will be. */
  settleUpdates(): void {
    this.#updates?.settle();
    this.#updates = null;
  }

  /** Adds the changes that came after it: they are stored together. */
  absorb(next: Commit): void {
    if (next.#updates !== null) this.updates.absorb(next.#updates);
    this.entries.push(...next.entries);
    if (next.ticks > 0) this.atMs = next.atMs;
    this.ticks += next.ticks;
    if (next.events !== null) this.events = [...(this.events ?? []), ...next.events];
    if (next.passing.size > 0) this.passing = new Set([...this.passing, ...next.passing]);
    if (next.forget !== null) this.forgetEvents(next.forget);
    if (next.receipts !== null) this.receipts = [...(this.receipts ?? []), ...next.receipts];
    this.continuedBy ??= next.continuedBy;
    this.addAudit(next.audit);
    if (next.measures !== null) this.measures = [...(this.measures ?? []), ...next.measures];
    this.summary = next.summary ?? this.summary;
    this.end = next.end ?? this.end;
    if (next.version !== undefined) this.version = next.version;
    this.snapshot = next.snapshot ?? this.snapshot;
    this.prune = next.prune ?? this.prune;
    this.release ||= next.release;
    this.blobs.push(...next.blobs);
    const later = next.#stored;
    if (later !== null) this.stored.promise.then(later.resolve, (error: unknown) => later.reject(error));
  }

  /** Resolves once it is stored; rejects when it cannot be stored. */
  get stored(): Deferred<void> {
    this.#stored ??= new Deferred<void>();
    return this.#stored;
  }

  /**
   * @param last Number of the last tick before it.
   * @throws what the function of a record update throws.
   */
  toRunCommit(
    key: RunKey,
    { owner, epoch, last }: { owner: string; epoch: number; last: number },
    hash: RunStore["hash"],
  ): RunCommit {
    const blobs = [...this.blobs];
    const keep = (packed: PackedText): string => {
      blobs.push(...packed.blobs);
      return packed.text;
    };
    const pack = (text: string): string => keep(packText(text, hash));
    const commit: { -readonly [Name in keyof RunCommit]: RunCommit[Name] } = { key, owner, epoch };
    if (this.create !== null) commit.create = this.create();
    if (this.ticks > 0)
      commit.ticks = {
        first: last + 1,
        last: last + this.ticks,
        atMs: this.atMs,
        text: keep(packList(this.entries, hash)),
      };
    const isPassing = ({ sequence, text }: StoredEvent): boolean =>
      this.passing.has(sequence) && text.length <= BLOB_LENGTH;
    if (this.events !== null)
      commit.events = this.events.map((event) => (isPassing(event) ? event : { ...event, text: pack(event.text) }));
    if (this.forget !== null) commit.forget = this.forget;
    if (this.summary !== null) commit.summary = this.summary;
    if (this.version !== undefined) commit.version = this.version;
    if (this.measures !== null) commit.measures = this.measures;
    if (this.snapshot !== null) commit.snapshot = { ...this.snapshot, text: pack(this.snapshot.text) };
    if (this.prune !== null) commit.prune = this.prune;
    const receipts = [...(this.receipts ?? none), ...receiptOf(this.continuedBy?.position ?? null)];
    if (receipts.length > 0) commit.receipts = receipts;
    const records = [...this.createdAudit, ...this.audit, ...(this.#updates?.writes() ?? none)];
    if (records.length > 0) commit.records = records;
    if (this.release) commit.release = true;
    if (blobs.length > 0) commit.blobs = blobs;
    return commit;
  }
}

function receiptOf(position: number | null): { readonly position: number; readonly receipt: string }[] {
  return position === null ? [] : [{ position, receipt: '{"status":"accepted","sequence":0}' }];
}

type Labels = Readonly<Record<string, string>>;

export interface NewRunRequest {
  readonly key: RunKey;
  readonly workflow: RegisteredWorkflow;
  readonly event: WorkflowEvent;
  readonly labels: Labels | undefined;
  /** Trace context that the start was given. */
  readonly trace: TraceContext | null;
  readonly timeoutMs: number | null;
  readonly deadlineMs: number | null;
  readonly nowMs: number;
  readonly startAtMs: number;
  readonly queue: QueueTicket | null;
  readonly by: DoneBy | undefined;
  /** Whether the store keeps an audit. */
  readonly isAudited: boolean;
}

/** A first start, with the record that the store keeps of it. */
export interface NewRun {
  readonly key: RunKey;
  readonly workflow: RegisteredWorkflow;
  readonly record: NewRunRecord;
  readonly started: RunStarted;
  /** Audit entries of the start, stored with the run. */
  readonly audit: readonly RecordWrite[];
}

/** @throws {WorkflowError} `OPTION_INVALID`, `VALUE_UNSERIALIZABLE`, `EVENT_INVALID` for what cannot be indexed. */
export function newRun({ key, workflow, event, nowMs, startAtMs, queue, by, ...request }: NewRunRequest): NewRun {
  const labels = labelsOf(event, key, request.labels);
  const { compiled } = workflow;
  const trace = compiled.inspector.traceOf({ workflow: compiled.name, runId: key.runId, trace: request.trace });
  const started: RunStarted = {
    type: "run.started",
    atMs: nowMs,
    event,
    timeoutMs: request.timeoutMs,
    deadlineMs: request.deadlineMs,
    lineage: null,
    labels,
    store: initialStore(compiled),
    ...(trace !== null && { trace }),
    ...(by !== undefined && { by }),
  };
  const record = {
    workflow: workflow.name,
    input: startText(started, workflow),
    code: workflow.code.hash,
    version: workflow.code.version,
    createdAtMs: nowMs,
    startAtMs,
    labels: labels ?? {},
    index: indexedInput(workflow.index, event),
    forkedFrom: null,
    queue,
  };
  const audit = request.isAudited
    ? auditWrites(key, { atMs: nowMs, action: "start", workflow: workflow.name, by })
    : [];
  return { key, workflow, record, started, audit };
}

function labelsOf(event: WorkflowEvent, { runId }: RunKey, given: Labels | undefined): Labels | null {
  const own = classOf(event).runLabels?.(event, runId);
  if (own === undefined) return given ?? null;
  const all = Object.entries({ ...given, ...own }).filter((pair): pair is [string, string] => pair[1] !== null);
  const labels = Object.fromEntries(all);
  checkNames({ labels });
  return labels;
}

/** A commit that creates the run without an owner: an executing process claims it when its time has come. */
export function createOnly({ key, workflow, record, audit }: NewRun): RunCommit {
  const commit: RunCommit = { key, owner: null, epoch: 0, create: { ...record, lease: null }, blobs: [workflow.code] };
  return audit.length === 0 ? commit : { ...commit, records: audit };
}
