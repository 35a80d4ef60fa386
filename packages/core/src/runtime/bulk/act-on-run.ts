/** What a job does to one run. */

import type { Receipt } from "../../authoring/handler.types.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import type { Clock, RetryPolicy } from "../../host.js";
import type { BulkProblem } from "../api/bulk.types.js";
import type { CallerOptions, ResumeRunOptions, RunHandle, TenantOptions } from "../api/runtime.types.js";
import { runUnknown } from "../store/runtime-errors.js";
import type { BulkRequest } from "./bulk-request.js";

/** The part of a runtime that a job needs. */
export interface BulkHost {
  readonly clock: Clock;
  retry(runId: string, options: ResumeRunOptions): RunHandle;
  resume(runId: string, options: ResumeRunOptions): RunHandle;
  handle(runId: string, options: TenantOptions): RunHandle;
  delete(runId: string, options: CallerOptions & TenantOptions): Promise<void>;
  knows(workflow: string): boolean;
}

/** A run whose turn it is. */
export interface BulkItem {
  readonly runId: string;
  /** `null`: there is no such run. */
  readonly workflow: string | null;
  /** Of an answer: the open prompts when the run was found. */
  readonly prompts: readonly string[];
}

export interface BulkTurn {
  readonly host: BulkHost;
  readonly request: BulkRequest;
  readonly tenant: string;
  /** Equal whenever this job comes to this run: what was done before does not happen again. */
  readonly key: string;
  /** `true`: a process may have done it, and died before that was stored. */
  readonly isRepeated: boolean;
}

/** Until then, a process that has the run has answered, or its lease has ended. */
const waitMs = 60_000;

/** `null`: it is done. */
export async function actOnRun(turn: BulkTurn, item: BulkItem): Promise<BulkProblem | null> {
  try {
    const refusal = await within(turn.host.clock, perform(turn, item));
    return refusal === null ? null : problemOf(item.runId, refusal);
  } catch (error) {
    if (isOfProcess(error)) throw error;
    return problemOf(item.runId, error);
  }
}

async function perform(turn: BulkTurn, { runId, workflow, prompts }: BulkItem): Promise<Refusal | null> {
  const { host, request, tenant, key, isRepeated } = turn;
  const { action, reason, fields } = request;
  if (workflow === null) throw runUnknown({ runId, tenant });
  const by = request.by === null ? {} : { by: request.by };
  if (action === "delete") {
    await host.delete(runId, { tenant, ...by }).catch((error: unknown) => {
      if (!isRepeated || !WorkflowError.is(error, "RUN_UNKNOWN")) throw error;
    });
    return null;
  }
  if (!host.knows(workflow)) throw unknownWorkflow(workflow);
  if (action === "retry" || action === "resume") {
    await host[action](runId, { tenant, key, ...by }).accepted;
    return null;
  }
  const run = host.handle(runId, { tenant });
  if (action === "cancel") return refusalOf(await run.cancel(reason ?? undefined, { key, ...by }));
  const [promptId] = prompts;
  if (promptId === undefined || prompts.length > 1) return notOnePrompt(prompts.length);
  return refusalOf(await run.answer(promptId, fields, { key: `${key} ${promptId}`, ...by }));
}

interface Refusal {
  readonly code: string;
  readonly message: string;
}

function refusalOf(receipt: Receipt): Refusal | null {
  return receipt.status === "accepted" ? null : { code: receipt.code, message: receipt.hint };
}

function notOnePrompt(count: number): Refusal {
  const message =
    count === 0
      ? "The run has no open prompt of that type."
      : `The run has ${count} open prompts: answer them one by one, or name a type with \`prompt\`.`;
  return { code: "PROMPT_CLOSED", message };
}

/** The action does not fit the run any more: somebody else was first, or it is at work. */
const passed = new Set(["RUN_FINISHED", "RUN_NOT_RETRYABLE", "RUN_UNKNOWN", "RUN_LIVE", "RUN_MOVED", "PROMPT_CLOSED"]);

function problemOf(runId: string, error: unknown): BulkProblem {
  const { code, message } = Object(error) as Partial<Refusal>;
  const known = typeof code === "string" ? code : "INTERNAL";
  const text = typeof message === "string" ? message : String(error);
  return { runId, outcome: passed.has(known) ? "skipped" : "failed", code: known, message: text.slice(0, 500) };
}

/** Errors that concern a process and its store, and not the run. */
const ofProcess = new Set([
  "RUNTIME_STOPPED",
  "STORE_UNREACHABLE",
  "STORE_BUSY",
  "STORE_CLOSED",
  "STORE_READ_ONLY",
  "STORE_FULL",
]);

function isOfProcess(error: unknown): boolean {
  return WorkflowError.is(error) && ofProcess.has(error.code);
}

const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

/** A job waits for its store, however long that takes. */
export const untilStoreAnswers: RetryPolicy = {
  next: ({ error, failures }) =>
    isOfProcess(error) ? Math.min(firstRetryMs * 2 ** Math.min(failures - 1, 10), longestRetryMs) : null,
};

async function within<Value>(clock: Clock, work: Promise<Value>): Promise<Value> {
  let callOff = (): void => {};
  const late = new Promise<never>((_, reject) => {
    callOff = clock.setTimer(clock.now() + waitMs, () => reject(unanswered()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    callOff();
  }
}

function unanswered(): WorkflowError {
  return new WorkflowError({
    code: "CALL_TIMEOUT",
    message: `The process that has the run has not answered for ${waitMs / 1_000} s.`,
    hint: "A cancellation or an answer is stored, and is still delivered. Ask again for the others.",
  });
}

function unknownWorkflow(workflow: string): WorkflowError {
  return new WorkflowError({
    code: "WORKFLOW_UNKNOWN",
    message: `The process of this job has no workflow "${workflow}".`,
    hint: "List the workflow in `createRuntime({ workflows })` of every process that executes.",
    details: { workflow },
  });
}
