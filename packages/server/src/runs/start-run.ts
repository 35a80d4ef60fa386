/**
 * Starts a run at most once.
 *
 * A start with an id stores a label: the idempotency key of the request, or a random mark. A request that finds another
 * label than its own has not started that run.
 *
 * @module
 */

import { type DoneBy, type TraceContext, WorkflowError } from "millrace";
import type { RunHandle, RuntimeRunOptions } from "millrace/runtime";
import type { StartBody } from "millrace/wire";
import type { QueueOptions } from "../guard/queue-of.js";
import { HttpError } from "../http/http-error.js";
import { newId } from "../system.js";
import { readStart } from "../wire/read-event.js";
import type { Served } from "./served.types.js";

/** Name of the label that identifies the starting request. */
const startLabel = "millrace.start";

export interface StartRequest {
  readonly workflow: string;
  readonly tenant: string;
  readonly body: StartBody;
  /** Who starts it. */
  readonly by: DoneBy;
  /** Where it waits. @default in no queue */
  readonly place?: QueueOptions;
  readonly idempotencyKey: string | null;
  /** The span that the request belongs to. @default none */
  readonly trace?: TraceContext | null;
}

/** Wraps the handle, which is a promise: an async function that returned it bare would wait for the result of the run. */
export interface StartedRun {
  readonly handle: RunHandle;
}

export type StartHost = Pick<Served, "runtime" | "catalog" | "limits">;

/** @throws {WorkflowError} `RUN_ID_CONFLICT`, `WORKFLOW_UNKNOWN`, and the errors of an invalid input. */
export async function startRun({ runtime, catalog, limits }: StartHost, request: StartRequest): Promise<StartedRun> {
  const { workflow, tenant, body, by, place, idempotencyKey, trace = null } = request;
  const facts = catalog.getStartable(workflow);
  if (holdsContext(body.context)) throw contextDisabled();
  const input = readStart(body, { facts, maxDepth: limits.bodyDepth });
  const own = { tenant, by, ...place, ...(trace !== null && { trace }) };
  if (body.dedupe !== undefined && body.dedupe !== null) {
    // The key identifies repeated requests; the runtime refuses a `handler_id` beside it.
    const { handler_id: runId, labels } = body;
    const { failed, ...rest } = body.dedupe;
    const dedupe = { ...rest, ...(failed && { failed }) };
    const options = { ...own, dedupe, ...(runId && { runId }), ...(labels && { labels }) } as RuntimeRunOptions;
    return accepted(runtime.run(workflow, input as never, options));
  }
  const runId = body.handler_id ?? (idempotencyKey === null ? null : await idOfKey(workflow, idempotencyKey));
  const given = body.labels ?? {};
  if (runId === null) return accepted(runtime.run(workflow, input as never, { ...own, labels: given }));
  const mark = idempotencyKey === null ? `request ${newId()}` : `key ${idempotencyKey}`;
  const labels = { ...given, [startLabel]: mark };
  const started = await accepted(runtime.run(workflow, input as never, { ...own, runId, labels })).catch(
    (error: unknown) => {
      throw WorkflowError.is(error, "RUN_ID_CONFLICT") ? conflict(runId, error.message) : error;
    },
  );
  if ((await started.handle.summary()).labels[startLabel] !== mark) throw conflict(runId);
  return started;
}

async function accepted(handle: RunHandle): Promise<StartedRun> {
  await handle.accepted;
  return { handle };
}

/** @param of Scope of the key: the same key in another scope is another run. */
export async function idOfKey(of: string, key: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([of, key]));
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", text)).slice(0, 16);
  return `key-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function conflict(runId: string, message = `There is already a handler "${runId}".`): WorkflowError {
  return new WorkflowError({
    code: "RUN_ID_CONFLICT",
    message,
    hint: "Use another `handler_id` or key. A repeated request needs the same `Idempotency-Key` and input.",
    details: { runId },
  });
}

/** The Python client of LlamaAgents sends `{}` with every start. */
function holdsContext(context: unknown): boolean {
  if (context === undefined || context === null) return false;
  return typeof context !== "object" || Object.keys(context).length > 0;
}

function contextDisabled(): HttpError {
  return new HttpError({
    status: 400,
    code: "CONTEXT_DISABLED",
    detail: "A run cannot be started with a `context` from outside.",
    hint: "Fork an existing run: `POST /handlers/{id}/fork`.",
  });
}
