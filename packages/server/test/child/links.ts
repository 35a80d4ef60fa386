/** A server of signed links over a file: `node links.ts <file> <port>`. Prints the link of its run once the run has mailed it. */
import { serve } from "@hono/node-server";
import { sqliteStore } from "@millrace/sqlite";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { z } from "zod";
import { createServer } from "../../src/index.js";
import { signedLinks } from "../../src/webhooks.js";

const [file = "", port = ""] = process.argv.slice(2);
const links = signedLinks({ url: `http://127.0.0.1:${port}/links`, secrets: ["a secret of thirty-two characters"] });
const flow = defineWorkflow("flow")
  .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const asked = await links.ask(ctx, { title: "Pay?", schema: { status: z.string() }, timeout: "1d" });
    await ctx.run("mail", () => console.log(`mailed ${asked.url}`));
    return new StopEvent({ result: await asked.answer });
  })
  .build();
const runtime = createRuntime({ workflows: { flow }, store: sqliteStore(file), leaseMs: 500 });
await runtime.start();
if ((await runtime.runs()).runs.length === 0) runtime.run("flow", {}, { runId: "r" });
serve({ fetch: createServer({ runtime, links }).fetch, port: Number(port) }, () => console.log("ready"));
