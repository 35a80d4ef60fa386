/** Routes that list, show, cancel and delete runs. */
import { z } from "@hono/zod-openapi";
import { WorkflowError } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { HttpError } from "../http/http-error.js";
import { json, mount } from "../http/route.js";
import { listRuns } from "../list-runs.js";
import type { Server } from "../server.types.js";
import { pauseMs } from "../system.js";
import { handlerRecord, isUnloadable } from "../wire/handler-record.js";
import { toChild } from "../wire/look-back.js";
import { cancelBody, cancelQuery, handler, handlerQuery, idParams, listQuery } from "../wire/schemas.js";
import { handleOf } from "./runs-of.js";
import { waitAsRequested } from "./waiting.js";

const tag = "Handlers";

export function mountHandlers(server: Server): void {
  mount(server, {
    route: "GET /handlers",
    operation: "listHandlers",
    summary: "Lists runs, newest first, in pages",
    tag,
    query: listQuery,
    answers: { 200: ["A page", z.object({ handlers: z.array(handler), cursor: z.string().nullable() })] },
    handle: async ({ query, tenant }) => json(await listRuns(server, { query, tenant })),
  });
  mount(server, {
    route: "GET /handlers/{id}",
    operation: "getHandler",
    summary: "Status of a run, at once or when it has ended or waits for input",
    tag,
    params: idParams,
    query: handlerQuery,
    answers: { 200: ["The run has ended", handler], 202: ["The run has not ended", handler] },
    handle: async (call) => {
      const handle = handleOf(server, call);
      await waitAsRequested(server, call, handle);
      const record = await handlerRecord(handle, server.catalog);
      const { params, query, tenant } = call;
      const ticks = await server.runtime.ticks(params.id, { tenant });
      const children = query.children && (await server.runtime.children(params.id, { tenant })).map(toChild);
      return json({ ...record, ticks, ...(children && { children }) }, record.status === "running" ? 202 : 200);
    },
  });
  mountCancel(server);
}

function mountCancel(server: Server): void {
  mount(server, {
    route: "POST /handlers/{id}/cancel",
    operation: "cancelHandler",
    summary: "Stops a run and keeps its work, or deletes it",
    tag,
    params: idParams,
    query: cancelQuery,
    body: cancelBody,
    isKeyed: true,
    answers: { 200: ["Done", z.object({ status: z.enum(["cancelled", "deleted"]) })] },
    handle: async (call) => {
      const handle = handleOf(server, call);
      const { body, query, idempotencyKey } = call;
      const once = idempotencyKey === null ? {} : { key: idempotencyKey };
      const cancelling = handle.cancel(body.reason ?? undefined, once);
      if (!query.purge) {
        if ((await cancelling).status === "refused") throw finished(call.params.id);
        return json({ status: "cancelled" });
      }
      await cancelling.catch((error: unknown) => {
        if (!isUnloadable(error)) throw error; // a run that cannot be loaded can still be deleted
      });
      await deleted(server, handle);
      return json({ status: "deleted" });
    },
  });
}

/** Number of tries: the owner of the run may need a moment to release it. */
const tries = 20;

async function deleted({ runtime }: Server, { runId, tenant }: RunHandle): Promise<void> {
  for (let left = tries; ; left--) {
    try {
      return await runtime.delete(runId, { tenant });
    } catch (error) {
      if (!WorkflowError.is(error, "RUN_LIVE") || left === 0) throw error;
      await pauseMs(25);
    }
  }
}

/** LlamaAgents answers 404 here. */
function finished(runId: string): HttpError {
  return new HttpError({
    status: 404,
    code: "RUN_FINISHED",
    detail: `Handler "${runId}" has ended already.`,
    hint: "Add `purge=true` to delete it.",
  });
}
