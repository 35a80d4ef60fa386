/** Two short naps and a question, in one request of a function. */
import { createHandler } from "@millrace/server/serverless";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { memoryStore } from "millrace/runtime";
import * as z from "zod";

const nap = defineWorkflow("nap")
  .step("nap", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await ctx.sleep("200ms");
    await ctx.sleep("200ms");
    await ctx.ask({ title: "Rested?", schema: { yes: z.boolean() } });
    return new StopEvent();
  })
  .build();

const handler = createHandler(nap, { store: memoryStore() });
const headers = { "content-type": "application/json" };
const response = await handler(
  new Request("http://localhost/", { method: "POST", headers, body: JSON.stringify({ start_event: {} }) }),
);
const { status, prompts } = await response.json();
console.log(`after two naps: ${response.status}, ${status}, ${prompts?.length} prompts`);
process.exit();
