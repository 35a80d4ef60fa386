/** A run as a handler record, in the form that LlamaAgents clients expect, with its status. */

import { type PendingPrompt, QuestionEvent, type RunOutcome, WorkflowError, type WorkflowEvent } from "millrace";
import type { ListedQueue, RunHandle, RunListing, StoredStatus } from "millrace/runtime";
import { type HandlerRecord, type PromptRecord, toWire } from "millrace/wire";
import { cleanError, shortText } from "../http/clean-text.js";
import { isoTime } from "../system.js";
import { resultEnvelope, toEnvelope } from "./envelope.js";
import type { JsonSchema } from "./event-schema.js";
import type { WorkflowCatalog, WorkflowFacts } from "./workflow-facts.js";

export async function handlerRecord(handle: RunHandle, catalog: WorkflowCatalog): Promise<HandlerRecord> {
  // The outcome comes first, so that the listing is never older than it.
  const outcome = await outcomeOf(handle);
  return toHandler(await handle.summary(), outcome, catalog);
}

/** Record of a listed run. A run that the present code cannot load carries its error and does not spoil the list. */
export async function listedRecord(
  listing: RunListing,
  handle: RunHandle,
  catalog: WorkflowCatalog,
): Promise<HandlerRecord | null> {
  const outcome = await outcomeOf(handle).catch((error: unknown) => {
    if (WorkflowError.is(error, "RUN_UNKNOWN")) return undefined; // deleted while it was listed
    throw error;
  });
  return outcome === undefined ? null : toHandler(listing, outcome, catalog);
}

/** Characters of an error in a list; the record of the run has all. */
const mostListed = 500;

/** The record as lists have it: with a short error. */
export function shortRecord(record: HandlerRecord): HandlerRecord {
  return record.error === null ? record : { ...record, error: shortText(record.error, mostListed) };
}

type Standing = RunOutcome | null | { readonly status: "unloadable"; readonly error: WorkflowError };

async function outcomeOf(handle: RunHandle): Promise<Standing> {
  try {
    return await handle.outcome();
  } catch (error) {
    if (WorkflowError.is(error, "RUN_MOVED")) return null; // it does not wait here
    if (!isUnloadable(error)) throw error;
    return { status: "unloadable", error };
  }
}

/** Recognizes errors of a run that the present code does not fit, or whose stored data is damaged. */
export function isUnloadable(error: unknown): error is WorkflowError {
  return (
    WorkflowError.is(error) &&
    /^(WORKFLOW_UNKNOWN|RUN_TOO_LARGE|SNAPSHOT_|EVENT_|STATE_|JOURNAL_|CHILD_)/.test(error.code)
  );
}

function toHandler(listing: RunListing, outcome: Standing, catalog: WorkflowCatalog): HandlerRecord {
  const {
    runId,
    workflow,
    version,
    createdAtMs,
    updatedAtMs,
    endedAtMs,
    lastEvent,
    labels,
    queue,
    isSealed,
    forkedFrom,
  } = listing;
  const facts = catalog.find(workflow);
  const types = facts?.types ?? [];
  const waiting = outcome?.status === "waiting" ? outcome : null;
  const status = statusOf(listing, outcome);
  return {
    handler_id: runId,
    workflow_name: workflow,
    run_id: runId,
    version,
    status,
    started_at: isoTime(createdAtMs),
    updated_at: isoTime(updatedAtMs),
    completed_at: status === "running" ? null : isoTime(endedAtMs ?? updatedAtMs),
    ...errorOf(outcome),
    result: outcome?.status === "completed" ? resultEnvelope(outcome.result, types) : null,
    waiting: waiting !== null,
    queued: outcome === null && listing.status === "queued",
    prompts: waiting?.prompts.map((prompt) => toPrompt(prompt, facts)) ?? [],
    wake_at: waiting === null || waiting.wakeAtMs === null ? null : isoTime(waiting.wakeAtMs),
    last_sequence: lastEvent,
    labels: Object.fromEntries(Object.entries(labels).filter(([name]) => !name.startsWith("millrace."))),
    queue: queue === null ? null : queueOf(queue),
    sealed: isSealed,
    forked_from: forkedFrom === null ? null : { handler_id: forkedFrom.runId, at: forkedFrom.tick },
  };
}

function queueOf({ name, key, priority, hasPlace }: ListedQueue): HandlerRecord["queue"] {
  return { name, key, priority, has_place: hasPlace };
}

/** @param facts Facts about the workflow of the run; undefined for a workflow that the server no longer has. */
export function toPrompt(prompt: PendingPrompt, facts: WorkflowFacts | undefined): PromptRecord {
  const { promptId, event, runId, step, askedAtMs, dueAtMs, answerType } = prompt;
  return {
    ...toWire({ promptId, runId, step, askedAtMs, dueAtMs }),
    event: toEnvelope(event, { types: facts?.types ?? [] }),
    answer: answerType === null ? null : answerOf(event, answerType, facts),
  };
}

/** Schema of the answer to an open prompt; `null` where it is not known, or nothing can be answered. */
export function answerSchemaOf({ event, answerType }: PendingPrompt, facts: WorkflowFacts): JsonSchema | null {
  return answerType === null ? null : (answerOf(event, answerType, facts)?.schema ?? null);
}

function answerOf(prompt: WorkflowEvent, type: string, facts: WorkflowFacts | undefined): PromptRecord["answer"] {
  if (QuestionEvent.is(prompt)) return { type, schema: prompt.schema };
  const answerClass = facts?.events.get(type);
  const schemaOf = facts?.schemaOf ?? null;
  return answerClass === undefined || schemaOf === null ? null : { type, schema: schemaOf(answerClass) };
}

function statusOf(listing: RunListing, outcome: Standing): HandlerRecord["status"] {
  if (outcome === null) return "running"; // the listing of a run that was just resumed is older
  return shownStatus(outcome.status === "unloadable" ? listing.status : outcome.status);
}

/** Whether the store has a run as one that waits, which is shown as running. */
export function isWaiting(status: StoredStatus): boolean {
  return status === "scheduled" || status === "waiting";
}

/** The status as counts and filters have it: what waits and what is queued apart. */
export function openStatus(status: StoredStatus): HandlerRecord["status"] | "waiting" | "queued" {
  if (status === "queued") return status;
  return isWaiting(status) ? "waiting" : shownStatus(status);
}

export function shownStatus(status: StoredStatus): HandlerRecord["status"] {
  switch (status) {
    case "completed":
    case "cancelled":
      return status;
    case "failed":
    case "timedOut":
      return "failed";
    default:
      return "running";
  }
}

function errorOf(outcome: Standing): Pick<HandlerRecord, "error" | "error_code"> {
  switch (outcome?.status) {
    case "failed":
    case "unloadable":
      return { error: cleanError(textOf(outcome.error)), error_code: codeOf(outcome.error) };
    case "timedOut":
      return { error: `The run has used up its ${outcome.timeoutMs} ms.`, error_code: "RUN_TIMED_OUT" };
    case "cancelled":
      return { error: cleanError(cancelText(outcome.reason)), error_code: "RUN_CANCELLED" };
    default:
      return { error: null, error_code: null };
  }
}

/** Text of anything thrown, also of values that are no errors. */
function textOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const { message } = error as Partial<Error>;
  return typeof message === "string" ? message : (JSON.stringify(error) ?? "An error that cannot be read.");
}

function codeOf(error: unknown): string {
  return WorkflowError.is(error) ? error.code : "STEP_FAILED";
}

function cancelText(reason: unknown): string {
  return typeof reason === "string" ? `The run was cancelled: ${reason}.` : "The run was cancelled.";
}
