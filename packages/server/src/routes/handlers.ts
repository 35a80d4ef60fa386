/** Routes that list, show, cancel and delete runs. */
import { z } from "@hono/zod-openapi";
import { type DoneBy, WorkflowError } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { readableOf } from "../guard/rights.js";
import { HttpError } from "../http/http-error.js";
import { listRuns } from "../runs/list-runs.js";
import { listResponse } from "../stream/list-response.js";
import { pauseMs } from "../system.js";
import { handlerRecord, isUnloadable } from "../wire/handler-record.js";
import { toChild } from "../wire/history.js";
import {
  allCounts,
  cancelBody,
  cancelQuery,
  countQuery,
  handler,
  handlerQuery,
  idParams,
  listQuery,
} from "../wire/schemas.js";
import { json, mount } from "./route.js";
import { handleOf } from "./runs-of.js";
import type { Server } from "./server.types.js";
import { keptOpen, waitAsRequested } from "./waiting.js";

const tag = "Handlers";
const handlerPage = z.object({ handlers: z.array(handler), cursor: z.string().nullable() });

export function mountHandlers(server: Server): void {
  const { catalog } = server;
  mount(server, {
    route: "GET /handlers",
    needs: ["read", "some"],
    operation: "listHandlers",
    summary: "Lists runs in pages, or streams those that change",
    tag,
    query: listQuery,
    answers: {
      200: ["A page; with `sse`, events `changed` and `gone`", handlerPage, ["application/json", "text/event-stream"]],
    },
    handle: async (call) => {
      const { tenant } = call;
      const query = {
        ...call.query,
        workflow_name: readableOf(call.identity, call.query.workflow_name, catalog.names),
      };
      if (!query.sse) return json(await listRuns(server, { query, tenant }));
      for (const name of ["failure", "failed_step"] as const) if (query[name] !== undefined) throw notFollowed(name);
      const { live, runtime } = server;
      return listResponse({ ...keptOpen(server, call), live, runtime, tenant, filter: query });
    },
  });
  // Before the route of one run: a run of that name is not read there.
  mount(server, {
    route: "GET /handlers/counts",
    needs: ["read", "some"],
    operation: "countHandlers",
    summary: "How many runs there are, as of the last second",
    tag,
    query: countQuery,
    answers: { 200: ["Counts", allCounts] },
    handle: async ({ query, tenant, identity }) => {
      const names = readableOf(identity, query.workflow_name, catalog.names);
      return json(await server.counts.of(tenant, { ...query, workflow_name: names }));
    },
  });
  mount(server, {
    route: "GET /handlers/{id}",
    needs: ["read", "run"],
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
    needs: ["operate", "run"],
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
      const { body, query, idempotencyKey, by } = call;
      const once = idempotencyKey === null ? { by } : { by, key: idempotencyKey };
      const cancelling = handle.cancel(body.reason ?? undefined, once);
      if (!query.purge) {
        if ((await cancelling).status === "refused") throw finished(call.params.id);
        return json({ status: "cancelled" });
      }
      await cancelling.catch((error: unknown) => {
        if (!isUnloadable(error)) throw error; // a run that cannot be loaded can still be deleted
      });
      await deleted(server, handle, by);
      server.live.deleted(handle.tenant, handle.runId);
      return json({ status: "deleted" });
    },
  });
}

/** Number of tries: the owner of the run may need a moment to release it. */
const tries = 20;

async function deleted({ runtime }: Server, { runId, tenant }: RunHandle, by: DoneBy): Promise<void> {
  for (let left = tries; ; left--) {
    try {
      return await runtime.delete(runId, { tenant, by });
    } catch (error) {
      if (!WorkflowError.is(error, "RUN_LIVE") || left === 0) throw error;
      await pauseMs(25);
    }
  }
}

/** The record of a run does not say how it has failed. */
function notFollowed(name: string): HttpError {
  return new HttpError({
    status: 400,
    code: "QUERY_INVALID",
    detail: `The query is wrong: ${name}: a stream of changes is not narrowed to it.`,
    hint: `Leave out \`${name}\`, or \`sse\`.`,
  });
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
