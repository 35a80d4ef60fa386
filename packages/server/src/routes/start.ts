/** Routes that start runs. */

import type { TraceContext } from "millrace";
import type { StartBody } from "millrace/wire";
import { placeOf } from "../guard/queue-of.js";
import { callerOf } from "../quota/caller.js";
import { settled } from "../runs/run-wait.js";
import { type StartRequest, startRun } from "../runs/start-run.js";
import { handlerRecord } from "../wire/handler-record.js";
import { handler, nameParams, runBody } from "../wire/schemas.js";
import { type Call, json, mount } from "./route.js";
import type { Server } from "./server.types.js";
import { whileWaiting } from "./waiting.js";

const start = { tag: "Runs", params: nameParams, body: runBody, isKeyed: true } as const;

/** Whether it is valid is for the runtime to say: one that is not is ignored. */
function traceOf(headers: Headers): TraceContext | null {
  const traceparent = headers.get("traceparent");
  const tracestate = headers.get("tracestate");
  return traceparent === null ? null : { traceparent, ...(tracestate !== null && { tracestate }) };
}

type StartCall = Call<{ readonly name: string }, unknown, StartBody>;

async function requestOf({ options }: Server, call: StartCall): Promise<StartRequest> {
  const { context, params, tenant, body, by, idempotencyKey } = call;
  const workflow = params.name;
  const place = await placeOf(options, { request: context.req.raw, tenant, workflow, body });
  return { workflow, tenant, body, by, place, idempotencyKey, trace: traceOf(context.req.raw.headers) };
}

export function mountStart(server: Server): void {
  mount(server, {
    ...start,
    route: "POST /workflows/{name}/run",
    needs: ["start", "workflow"],
    operation: "runWorkflow",
    summary: "Starts a run and waits for its end",
    answers: { 200: ["The run has ended", handler], 202: ["The run waits for input, or continues", handler] },
    handle: async (call) => {
      const record = await whileWaiting(server, call, async (caller) => {
        server.quotas.starts.spend(caller);
        const { handle } = await startRun(server, await requestOf(server, call));
        await settled(handle, server.limits.runWaitMs, call.context.req.raw.signal);
        return handlerRecord(handle, server.catalog);
      });
      return json(record, record.status === "running" ? 202 : 200);
    },
  });
  mount(server, {
    ...start,
    route: "POST /workflows/{name}/run-nowait",
    needs: ["start", "workflow"],
    operation: "startWorkflow",
    summary: "Starts a run",
    answers: { 200: ["The run is stored", handler] },
    handle: async (call) => {
      server.quotas.starts.spend(callerOf(server.options, call.context));
      const { handle } = await startRun(server, await requestOf(server, call));
      return json(await handlerRecord(handle, server.catalog));
    },
  });
}
