import { fromWire, type HandlerRecord, type PromptRecord } from "millrace/wire";
import { WorkflowError } from "../client-error.js";
import { invalidAnswer } from "../http/answer-error.js";
import type { SomeEvent } from "../inferred.types.js";
import type { PendingPrompt, RunOutcome, RunSummary } from "../run.types.js";
import { type DecodeOptions, decodeEvent, decodeResult } from "./event.js";

/** @throws {ClientError} `RESPONSE_INVALID`. */
export function toSummary(record: HandlerRecord, options: DecodeOptions): RunSummary {
  if (typeof record?.handler_id !== "string") throw invalidAnswer("something that is no handler", options.request);
  const { handlerId, workflow, version, startedAtMs, updatedAtMs, completedAtMs, wakeAtMs, ...own } = fromWire(record);
  const base = {
    handlerId,
    workflow,
    version,
    startedAtMs,
    updatedAtMs,
    lastEvent: own.lastSequence,
    labels: own.labels,
    queue: own.queue && fromWire(own.queue),
    isSealed: own.sealed,
    forkedFrom: own.forkedFrom && { handlerId: own.forkedFrom.handler_id, at: own.forkedFrom.at },
    ticks: own.ticks ?? null,
  };
  const endedAtMs = completedAtMs ?? updatedAtMs;
  switch (record.status) {
    case "completed": {
      const result = record.result === null ? undefined : decodeResult(record.result, options);
      return { ...base, status: "completed", endedAtMs, result };
    }
    case "failed":
    case "cancelled":
      return { ...base, status: record.status, endedAtMs, error: errorOf(record, options) };
    default: {
      if (!record.waiting) return { ...base, status: record.queued ? "queued" : "running" };
      const prompts = toPrompts(record.prompts, options);
      return { ...base, status: "waiting", prompts, wakeAtMs };
    }
  }
}

export function toPrompts(records: readonly PromptRecord[], options: DecodeOptions): PendingPrompt<SomeEvent>[] {
  return records.map(({ event, ...record }) => {
    return { ...fromWire(record), event: decodeEvent(event, options) };
  });
}

function errorOf(record: HandlerRecord, { request }: DecodeOptions): WorkflowError {
  const cancelled = record.status === "cancelled";
  return new WorkflowError({
    ...request,
    code: record.error_code ?? (cancelled ? "RUN_CANCELLED" : "STEP_FAILED"),
    message: record.error ?? `Run "${record.handler_id}" of "${record.workflow_name}" was ${record.status}.`,
    hint: cancelled
      ? "`client.resume(handlerId)` continues it."
      : "Read the server's log for the stack; `client.retry(handlerId)` runs the failed work again.",
    handlerId: record.handler_id,
    details: { workflow: record.workflow_name },
  });
}

/** Returns whether the run has nothing to do now. */
export function isOutcome(summary: RunSummary): summary is RunOutcome {
  return summary.status !== "running" && summary.status !== "queued";
}
