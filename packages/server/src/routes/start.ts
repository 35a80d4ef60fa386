/** Routes that start runs. */
import { json, mount } from "../http/route.js";
import { callerOf } from "../quota/caller.js";
import { settled } from "../run-wait.js";
import type { Server } from "../server.types.js";
import { startRun } from "../start-run.js";
import { handlerRecord } from "../wire/handler-record.js";
import { handler, nameParams, runBody } from "../wire/schemas.js";
import { whileWaiting } from "./waiting.js";

const start = { tag: "Runs", params: nameParams, body: runBody, isKeyed: true } as const;

export function mountStart(server: Server): void {
  mount(server, {
    ...start,
    route: "POST /workflows/{name}/run",
    operation: "runWorkflow",
    summary: "Starts a run and waits for its end",
    answers: { 200: ["The run has ended", handler], 202: ["The run waits for input, or goes on", handler] },
    handle: async (call) => {
      const record = await whileWaiting(server, call, async () => {
        server.quotas.starts.spend(callerOf(server.options, call.context));
        const { handle } = await startRun(server, { ...call, workflow: call.params.name });
        await settled(handle, server.limits.runWaitMs, call.context.req.raw.signal);
        return handlerRecord(handle, server.catalog);
      });
      return json(record, record.status === "running" ? 202 : 200);
    },
  });
  mount(server, {
    ...start,
    route: "POST /workflows/{name}/run-nowait",
    operation: "startWorkflow",
    summary: "Starts a run",
    answers: { 200: ["The run is stored", handler] },
    handle: async (call) => {
      server.quotas.starts.spend(callerOf(server.options, call.context));
      const { handle } = await startRun(server, { ...call, workflow: call.params.name });
      return json(await handlerRecord(handle, server.catalog));
    },
  });
}
