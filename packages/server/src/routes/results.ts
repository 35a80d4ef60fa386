/** The route for the result of a run alone, which early LlamaAgents clients use. */

import { z } from "@hono/zod-openapi";
import type { Envelope } from "millrace/wire";
import { handlerRecord } from "../wire/handler-record.js";
import { handler, idParams, standQuery } from "../wire/schemas.js";
import { json, mount } from "./route.js";
import { handleOf } from "./runs-of.js";
import type { Server } from "./server.types.js";
import { waitAsRequested } from "./waiting.js";

/** Not `handler.extend`: the document would say that the result has to be an envelope, too. */
const bareResult = z
  .object({
    ...handler.shape,
    result: z.unknown().describe("Result without an envelope; `null` if there is none."),
  })
  .openapi("HandlerWithBareResult");

export function mountResults(server: Server): void {
  mount(server, {
    route: "GET /results/{id}",
    needs: ["read", "run"],
    operation: "getResult",
    summary: "Status of a run, with its result without an envelope. New clients use `/handlers/{id}`",
    tag: "Handlers",
    params: idParams,
    query: standQuery,
    answers: { 200: ["The run has ended", bareResult], 202: ["The run has not ended", bareResult] },
    handle: async (call) => {
      const handle = handleOf(server, call);
      await waitAsRequested(server, call, handle);
      const record = await handlerRecord(handle, server.catalog);
      return json({ ...record, result: bare(record.result) }, record.status === "running" ? 202 : 200);
    },
  });
}

/** Returns the `result` of a plain stop event, or the fields of any other one. */
function bare(result: Envelope | null): unknown {
  if (result?.type !== "StopEvent") return result?.value ?? null;
  return (result.value as { readonly result?: unknown }).result ?? null;
}
