import type { RunHandle } from "millrace/runtime";
import { refusalError } from "../http/answer-error.js";
import { runUnknown } from "../http/http-error.js";
import { isEnd } from "../routes/runs-of.js";
import { type StartedRun, type StartHost, startRun } from "../runs/start-run.js";
import { readEvent, readMeta } from "../wire/read-event.js";
import type { FunctionRequest } from "./read-request.js";

export interface RunRequest {
  readonly request: FunctionRequest;
  readonly workflow: string;
  readonly tenant: string;
  readonly idempotencyKey: string | null;
}

/**
 * Starts the run, or sends it the answer or the event. @throws what is wrong with the request, and a refusal of the
 * run.
 */
export async function startOrSend(
  host: StartHost,
  { request, workflow, tenant, ...rest }: RunRequest,
): Promise<StartedRun> {
  const { idempotencyKey } = rest;
  if (request.kind === "start") return startRun(host, { workflow, tenant, body: request.body, idempotencyKey });
  const handle = host.runtime.handle(request.id, { tenant });
  // One store may have the runs of several functions.
  if ((await handle.summary()).workflow !== workflow) throw runUnknown(request.id);
  await handle.accepted;
  if (request.kind === "drive") await resumeUnfinished(host, handle);
  const facts = host.catalog.get(workflow);
  const options = idempotencyKey === null ? {} : { key: idempotencyKey };
  if (request.kind === "answer") {
    const fields = readMeta(request.body.fields ?? {}, request.body.meta, facts) as object;
    assertTaken(await handle.answer(request.promptId, fields, options));
  }
  if (request.kind === "send") {
    const event = readEvent(request.event as string, { facts, maxDepth: host.limits.bodyDepth });
    const { step } = request.body;
    assertTaken(await handle.sendEvent(event, { ...options, ...(step != null && { step }) }));
  }
  return { handle };
}

/** Resumes a run that was interrupted or is due, since no other process here does. */
async function resumeUnfinished({ runtime }: StartHost, handle: RunHandle): Promise<void> {
  if (!isEnd(await handle.outcome())) await runtime.resume(handle.runId, { tenant: handle.tenant }).accepted;
}

type Receipt =
  | { readonly status: "accepted" }
  | { readonly status: "refused"; readonly code: string; readonly hint: string };

/** @throws {HttpError} */
function assertTaken(receipt: Receipt): void {
  if (receipt.status === "refused") throw refusalError(receipt);
}
