/** A workflow over AG-UI, with the client of the protocol: a question, and its answer. */
import { HttpAgent } from "@ag-ui/client";
import { createServer } from "@millrace/server";
import { aguiHandler } from "@millrace/server/agui";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import * as z from "zod";

const greeting = defineWorkflow("greeting")
  .step("greet", { on: StartEvent, emits: StopEvent }, async (ev, ctx) => {
    const { polite } = await ctx.ask({ title: "Politely?", schema: { polite: z.boolean() } });
    return new StopEvent({ result: `${polite ? "Good day" : "Hello"}, ${ev.get("message")}!` });
  })
  .build();
const runtime = createRuntime({ workflows: { greeting }, store: memoryStore() });
await runtime.start();
const app = createServer({ runtime, agui: aguiHandler(runtime) });
const agent = new HttpAgent({
  url: "/agui/greeting",
  fetch: (path, init) => app.request(path, init),
  initialMessages: [{ id: "1", role: "user", content: "Ada" }],
});
await agent.runAgent();
const [{ id, message }] = agent.pendingInterrupts;
await agent.runAgent({ resume: [{ interruptId: id, status: "resolved", payload: { polite: true } }] });
await runtime.stop();
console.log(`${process.version.slice(1, 3)}: ${message} ${agent.messages.at(-1).content}`);
