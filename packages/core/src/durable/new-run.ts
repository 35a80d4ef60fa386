/** Makes the first record of a run from its start event. */
import type { TraceContext } from "../engine/state.js";
import type { RunStarted } from "../engine/tick.js";
import type { WorkflowEvent } from "../event/event.js";
import { classOf } from "../event/facts.js";
import { initialStore } from "../run/state-of-run.js";
import type { NewRun } from "./beginnings.js";
import { checkNames } from "./check-names.js";
import type { RegisteredWorkflow } from "./registered-workflows.js";
import type { QueueTicket, RunKey } from "./run-store.types.js";
import { startText } from "./start-text.js";

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
}

/** @throws {WorkflowError} `OPTION_INVALID`, `VALUE_UNSERIALIZABLE` */
export function newRun({ key, workflow, event, nowMs, startAtMs, queue, ...request }: NewRunRequest): NewRun {
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
  };
  const record = {
    workflow: workflow.name,
    input: startText(started, workflow),
    code: workflow.code.hash,
    createdAtMs: nowMs,
    startAtMs,
    labels: labels ?? {},
    forkedFrom: null,
    queue,
  };
  return { key, workflow, record, started };
}

function labelsOf(event: WorkflowEvent, { runId }: RunKey, given: Labels | undefined): Labels | null {
  const own = classOf(event).runLabels?.(event, runId);
  if (own === undefined) return given ?? null;
  const all = Object.entries({ ...given, ...own }).filter((pair): pair is [string, string] => pair[1] !== null);
  const labels = Object.fromEntries(all);
  checkNames({ labels });
  return labels;
}
