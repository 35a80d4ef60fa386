/** A server whose runs ask the agent at an address: `node asking-process.ts DATABASE PORT LOG AGENT_URL`. */
import { serve } from "@hono/node-server";
import { createServer } from "@millrace/server";
import { sqliteStore } from "@millrace/sqlite";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, type Runtime } from "millrace/runtime";
import { type RemoteAgent, remoteAgent } from "../../src/client.js";

const [, , database = "", port = "", , agentUrl = ""] = process.argv;
const agent: RemoteAgent = remoteAgent(agentUrl, {
  name: "desk",
  retry: { next: () => 100 },
  runtime: (): Runtime => runtime as unknown as Runtime,
});
const trip = defineWorkflow("trip")
  .step("book", { on: StartEvent, emits: StopEvent }, async (event, ctx) => {
    return new StopEvent({ result: await agent.run(ctx, { data: event.fields }) });
  })
  .build();
const workflows = { trip, guard: agent.guard };
const runtime = createRuntime({ workflows, store: sqliteStore(database), leaseMs: 500 });
await runtime.start();
serve({ fetch: createServer({ runtime }).fetch, port: Number(port), hostname: "127.0.0.1" }, () =>
  process.send?.("ready"),
);
