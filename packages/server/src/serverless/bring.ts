import type { RunHandle } from "millrace/runtime";
import { refusalError } from "../http/answer-error.js";
import { runUnknown } from "../http/http-error.js";
import { isEnd } from "../routes/runs-of.js";
import { type StartedRun, type StartHost, startRun } from "../start-run.js";
import { readEvent, readMeta } from "../wire/read-event.js";
import type { Asked } from "./read-request.js";

export interface BringRequest {
  readonly asked: Asked;
  readonly workflow: string;
  readonly tenant: string;
  readonly idempotencyKey: string | null;
}

/** Starts the run, or brings it what came. @throws what is wrong with the request, and what the run says against it. */
export async function bring(host: StartHost, { asked, workflow, tenant, ...rest }: BringRequest): Promise<StartedRun> {
  const { idempotencyKey } = rest;
  if (asked.kind === "start") return startRun(host, { workflow, tenant, body: asked.body, idempotencyKey });
  const handle = host.runtime.handle(asked.id, { tenant });
  // A store may have the runs of several functions.
  if ((await handle.summary()).workflow !== workflow) throw runUnknown(asked.id);
  await handle.accepted;
  if (asked.kind === "drive") await takeUp(host, handle);
  const facts = host.catalog.get(workflow);
  const options = idempotencyKey === null ? {} : { key: idempotencyKey };
  if (asked.kind === "answer") {
    const fields = readMeta(asked.body.fields ?? {}, asked.body.meta, facts) as object;
    assertTaken(await handle.answer(asked.promptId, fields, options));
  }
  if (asked.kind === "send") {
    const event = readEvent(asked.event as string, { facts, maxDepth: host.limits.bodyDepth });
    const { step } = asked.body;
    assertTaken(await handle.sendEvent(event, { ...options, ...(step != null && { step }) }));
  }
  return { handle };
}

/** Nobody else here takes up a run that was cut short, or whose time has come. */
async function takeUp({ runtime }: StartHost, handle: RunHandle): Promise<void> {
  if (!isEnd(await handle.outcome())) await runtime.resume(handle.runId, { tenant: handle.tenant }).accepted;
}

type Receipt =
  | { readonly status: "accepted" }
  | { readonly status: "refused"; readonly code: string; readonly hint: string };

/** @throws {HttpError} */
function assertTaken(receipt: Receipt): void {
  if (receipt.status === "refused") throw refusalError(receipt);
}
