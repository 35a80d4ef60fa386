/** Makes the first record of a run from its start event, and the commit that stores it. */
import {
  classOf,
  type DoneBy,
  decodeEvent,
  initialStore,
  type RunStarted,
  type TraceContext,
  type WorkflowEvent,
} from "../../../host.js";
import { auditWrites } from "../../audit/audit-entry.js";
import { checkNames } from "../../options/call-options.js";
import { indexedInput } from "../../options/input-index.js";
import type { NewRunRecord, QueueTicket, RecordWrite, RunCommit, RunKey } from "../../store/run-store.types.js";
import { startText } from "../../text/record-text.js";
import type { RegisteredWorkflow, RuntimeParts } from "../workflows/registered-workflows.js";

export type Labels = Readonly<Record<string, string>>;

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

/** The start of a schedule, as its record holds it. */
export interface StoredStart {
  readonly workflow: string;
  /** The start event, encoded. */
  readonly event: unknown;
  readonly labels: Labels;
  readonly timeoutMs: number | null;
  readonly queue: QueueTicket | null;
}

interface Making {
  readonly key: RunKey;
  readonly startAtMs: number;
  /** Names the start in errors about its event. */
  readonly what: string;
}

/** The commit that creates the run of a stored start. @throws {WorkflowError} What keeps its event from being read here. */
export function makeStart(
  { workflows, clock }: RuntimeParts,
  start: StoredStart,
  { key, startAtMs, what }: Making,
): RunCommit {
  const { labels, timeoutMs, queue } = start;
  const workflow = workflows.get(start.workflow);
  const event = decodeEvent(start.event, workflow.compiled.registry, what);
  const nowMs = clock.now();
  const request = { key, workflow, event, labels, timeoutMs, queue, nowMs, startAtMs };
  return createOnly(newRun({ ...request, trace: null, deadlineMs: null, by: undefined, isAudited: false }));
}
