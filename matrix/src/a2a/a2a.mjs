/** An agent and a run that asks it, from the packed packages. */
import { createServer as createHttpServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { a2aHandler } from "@millrace/a2a";
import { remoteAgent } from "@millrace/a2a/client";
import { createServer } from "@millrace/server";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { z } from "zod";

class Greet extends StartEvent.define("Greet", { name: z.string() }) {}
const greeting = defineWorkflow("greeting")
  .step("greet", { on: Greet, emits: StopEvent }, ({ name }) => new StopEvent({ result: `Hello, ${name}!` }))
  .build();
const runtime = createRuntime({ workflows: { greeting } });
await runtime.start();
const card = { name: "greeter", description: "Greets.", version: "1.0.0" };
const app = createServer({ runtime, a2a: a2aHandler(runtime, { card, skills: { greeting: "Greets a person." } }) });
const server = createHttpServer(getRequestListener(app.fetch));
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const greeter = remoteAgent(`http://127.0.0.1:${server.address().port}`);
const asking = defineWorkflow("asking")
  .step("ask", { on: StartEvent, emits: StopEvent }, async (_event, ctx) => {
    return new StopEvent({ result: (await greeter.run(ctx, "Ada")).text });
  })
  .build();
console.log(`${process.version.slice(1, 3)}: ${await asking.run()}`);
server.closeAllConnections();
server.close();
await runtime.stop();
