import type { DoneBy } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { refusalError } from "../http/answer-error.js";
import { runUnknown } from "../http/http-error.js";
import { type StartedRun, type StartHost, startRun } from "../runs/start-run.js";
import { readAnswer, readEvent } from "../wire/read-event.js";
import type { FunctionRequest } from "./read-request.js";

export interface RunRequest {
  readonly request: FunctionRequest;
  readonly workflow: string;
  readonly tenant: string;
  readonly idempotencyKey: string | null;
  readonly by: DoneBy;
}

/**
 * Starts the run, or sends it the answer or the event. @throws what is wrong with the request, and a refusal of the
 * run.
 */
export async function startOrSend(
  host: StartHost,
  { request, workflow, tenant, idempotencyKey, by }: RunRequest,
): Promise<StartedRun> {
  if (request.kind === "start") return startRun(host, { workflow, tenant, body: request.body, by, idempotencyKey });
  const handle = host.runtime.handle(request.id, { tenant });
  // One store may have the runs of several functions.
  if ((await handle.summary()).workflow !== workflow) throw runUnknown(request.id);
  await handle.accepted;
  if (request.kind === "drive") await resumeUnfinished(host, handle);
  const facts = host.catalog.getStartable(workflow);
  const options = idempotencyKey === null ? { by } : { by, key: idempotencyKey };
  if (request.kind === "answer") {
    const fields = await readAnswer(request.body, { handle, promptId: request.promptId, facts });
    const receipt = await handle.answer(request.promptId, fields, options);
    if (receipt.status === "refused") throw refusalError(receipt);
  }
  if (request.kind === "send") {
    const event = readEvent(request.event as string, { facts, maxDepth: host.limits.bodyDepth });
    const { step } = request.body;
    const receipt = await handle.sendEvent(event, { ...options, ...(step != null && { step }) });
    if (receipt.status === "refused") throw refusalError(receipt);
  }
  return { handle };
}

/** Resumes a run that was interrupted or is due, since no other process here does. */
async function resumeUnfinished({ runtime }: StartHost, handle: RunHandle): Promise<void> {
  const outcome = await handle.outcome();
  if (outcome !== null && outcome.status !== "waiting") return;
  await runtime.resume(handle.runId, { tenant: handle.tenant }).accepted;
}
