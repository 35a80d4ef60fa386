/**
 * The serverless form: each request starts or continues one run, drives it until it is done or waits for more than a moment, stores
 * it and answers.
 *
 * ```
 * request ──► load or start ──► drive until it waits ──► store ──► answer        (and nothing is left behind)
 * ```
 *
 * @module
 */
import type { Workflow } from "millrace";
import { compileWorkflow } from "millrace/engine";
import type { RunKey, RunStore, Runtime, Workflows } from "millrace/runtime";
import { authenticate, doneBy } from "../guard/auth.js";
import { assertMayWrite } from "../guard/cross-origin.js";
import { assertMay, type Right } from "../guard/rights.js";
import { answerError, type FailedRequest, internal } from "../http/answer-error.js";
import { idempotencyKeyOf } from "../http/idempotency-key.js";
import { json } from "../http/json.js";
import { driveUntil } from "../runs/run-wait.js";
import { afterMs, nowMs } from "../system.js";
import { handlerRecord } from "../wire/handler-record.js";
import { WorkflowCatalog } from "../wire/workflow-facts.js";
import { type HandlerOptions, type ResolvedHandlerOptions, resolveHandlerOptions } from "./handler-options.js";
import { type FunctionRequest, readRequest } from "./read-request.js";
import { openRequestRuntime } from "./request-runtime.js";
import { startOrSend } from "./start-or-send.js";

/** The platform's context of a request: `ctx` on Cloudflare, or `{ waitUntil: after }` in Next. */
export interface RequestContext {
  /** Keeps the function alive until `work` is done. */
  waitUntil?(work: Promise<unknown>): void;
}

/** Result of `RequestHandler.due`. */
export interface DueReport {
  /** Number of runs that were recovered. */
  readonly taken: number;
  /** When to call again, in epoch milliseconds; `null` when no run has a timer or is under way. */
  readonly wakeAtMs: number | null;
}

/** The function that `createHandler` returns. */
export interface RequestHandler {
  (request: Request, context?: RequestContext): Promise<Response>;
  /** Recovers the due runs of all tenants and drives them; for a cron. */
  due(): Promise<DueReport>;
}

/**
 * Creates a function from a request to a response that runs one workflow.
 *
 * `POST` starts a run, or sends it an answer or an event; `GET ?handler_id=` reads its status. The response is the
 * handler record, with 200 once the run has ended and 202 before. A sleep, a delay or a retry that is due within a second is waited
 * for, while `driveMs` lasts; a longer one is left to the next request. With `Prefer: respond-async` the response does not
 * wait for the run, on platforms where `waitUntil` can continue it.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `WORKFLOW_INVALID`
 * @example
 * export const POST = createHandler(new RefundFlow(), { store });
 */
export function createHandler(workflow: Workflow, options: HandlerOptions): RequestHandler {
  const resolved = resolveHandlerOptions(options, compileWorkflow(workflow).name);
  const workflows: Workflows = { [resolved.name]: workflow };
  const catalog = new WorkflowCatalog(workflows, {
    additionalEvents: { [resolved.name]: resolved.additionalEvents },
    internalEvents: resolved.internalEvents ? [resolved.name] : [],
  });
  const serving = (store: RunStore): Serving => ({ ...resolved, store, workflows, catalog });
  const handle = async (request: Request, context: RequestContext = {}): Promise<Response> => {
    const failed: FailedRequest = { method: request.method, path: new URL(request.url).pathname };
    let store: RunStore;
    try {
      store = await resolved.openStore();
    } catch (error) {
      return internal(error, failed, resolved.log);
    }
    return serve(serving(store), request, context).catch((error: unknown) => answerError(error, failed, resolved.log));
  };
  return Object.assign(handle, { due: async () => driveDue(serving(await resolved.openStore())) });
}

interface Serving extends ResolvedHandlerOptions {
  readonly store: RunStore;
  readonly workflows: Workflows;
  readonly catalog: WorkflowCatalog;
}

const needed: Readonly<Record<FunctionRequest["kind"], Right>> = {
  start: "start",
  answer: "answer",
  send: "answer",
  drive: "operate",
  look: "read",
};

async function serve(serving: Serving, request: Request, context: RequestContext): Promise<Response> {
  assertMayWrite(request, { cors: { origins: serving.origins, credentials: true }, isAskedInFront: true });
  const identity = await authenticate(serving.auth, request);
  const { tenant = "" } = identity;
  const read = await readRequest(request, serving.limits);
  assertMay(identity, { right: needed[read.kind], workflow: serving.name });
  const idempotencyKey = idempotencyKeyOf(request);
  const about = read.kind === "start" || read.kind === "look" ? null : { tenant, runId: read.id };
  let isTaken = false;
  const runtime = openRequestRuntime({ ...serving, about, onTaken: () => void (isTaken = true) });
  let isKept = false;
  const untilMs = nowMs() + serving.driveMs;
  // A message to a run of another process waits for that process, which may have died. Stored, it is delivered later.
  const cancelTimer = afterMs(serving.driveMs, () => void runtime.stop({ drainMs: 0 }).catch(() => {})); // fails below, too
  try {
    const { handle } = await startOrSend(
      { ...serving, runtime },
      { request: read, workflow: serving.name, tenant, idempotencyKey, by: doneBy(identity, "http") },
    ).finally(cancelTimer);
    const work = read.kind === "look" ? Promise.resolve() : driveUntil(handle, untilMs);
    if (context.waitUntil !== undefined && wantsNoWait(request)) {
      isKept = true;
      context.waitUntil(work.finally(() => runtime.stop({ drainMs: 0 })));
    } else await work;
    const record = await handlerRecord(handle, serving.catalog);
    return json(record, record.status === "running" ? 202 : 200);
  } catch (error) {
    // A run that was loaded is released where it waits, also after a request that it has refused.
    if (isTaken && about !== null) await driveUntil(runtime.handle(about.runId, { tenant }), untilMs).catch(() => {});
    throw error;
  } finally {
    // Everything is on disk when this resolves; the response comes after it.
    if (!isKept) await runtime.stop({ drainMs: 0 });
  }
}

/** @see https://www.rfc-editor.org/rfc/rfc7240#section-4.1 */
function wantsNoWait(request: Request): boolean {
  return /\brespond-async\b/i.test(request.headers.get("prefer") ?? "");
}

async function driveDue(serving: Serving): Promise<DueReport> {
  const claimed: RunKey[] = [];
  const runtime = openRequestRuntime({ ...serving, onClaimed: (keys) => void claimed.push(...keys) });
  const untilMs = nowMs() + serving.driveMs;
  try {
    await runtime.start();
    let driven = 0;
    // Runs that become due meanwhile are driven, too.
    for (; driven < claimed.length && nowMs() < untilMs; driven = claimed.length)
      await Promise.all(claimed.slice(driven).map((key) => driveKey(serving, runtime, { key, untilMs })));
  } finally {
    await runtime.stop({ drainMs: 0 });
  }
  return { taken: claimed.length, wakeAtMs: await wakeAtMsOf(serving) };
}

/** With the claims as they are now: the runs of a request that is killed are left to the next one. */
async function wakeAtMsOf(serving: Serving): Promise<number | null> {
  const runtime = openRequestRuntime(serving);
  try {
    return (await runtime.due()).wakeAtMs;
  } finally {
    await runtime.stop({ drainMs: 0 });
  }
}

interface DueRun {
  readonly key: RunKey;
  readonly untilMs: number;
}

async function driveKey({ log }: Serving, runtime: Runtime, { key, untilMs }: DueRun): Promise<void> {
  const handle = runtime.handle(key.runId, { tenant: key.tenant });
  await driveUntil(handle, untilMs).catch((error: unknown) =>
    log.error(`Run "${key.runId}" was due and could not be driven.`, error),
  );
}
