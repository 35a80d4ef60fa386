/** Codes of other agents. */
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { a2aHandler } from "@millrace/a2a";
import { remoteAgent } from "@millrace/a2a/client";
import { createServer } from "@millrace/server";
import { type Context, defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { type Provocations, type Provoked, thrown } from "./provoked.js";

/** A step asks an agent whose work fails. */
async function askBroken(): Promise<Provoked> {
  const broken = defineWorkflow("broken")
    .step("break", { on: StartEvent, emits: StopEvent }, (): StopEvent => {
      throw new Error("out of order");
    })
    .build();
  const runtime = createRuntime({ workflows: { broken }, log: { info: () => {}, error: () => {} } });
  await runtime.start();
  const card = { name: "broken", description: "Breaks.", version: "1.0.0" };
  const app = createServer({ runtime, a2a: a2aHandler(runtime, { card, skills: { broken: "Breaks." } }) });
  const server = createHttpServer(getRequestListener(app.fetch)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const agent = remoteAgent(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const asking = defineWorkflow("asking")
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_event, ctx: Context) => {
      return new StopEvent({ result: await agent.run(ctx, { data: {} }) });
    })
    .build();
  try {
    return await thrown(() => asking.run());
  } finally {
    server.closeAllConnections();
    server.close();
    await runtime.stop({ drainMs: 0 });
  }
}

export const doors: Provocations = { REMOTE_AGENT_FAILED: [askBroken] };
