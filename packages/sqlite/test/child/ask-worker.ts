/**
 * Asks with `ctx.ask` after a recorded call, and prints the id of its question once it waits. Then it holds for ever, or answers it
 * (wrongly, then rightly) and prints what has come.
 */
import { appendFileSync, writeSync } from "node:fs";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { z } from "zod";
import { sqliteStore } from "../../src/index.js";
import { patienceMs } from "../runs.js";

const [path, log, mode] = process.argv.slice(2) as [string, string, "hold" | "end"];

const flow = defineWorkflow("flow")
  .step("pay", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const euros = await ctx.run("price", () => {
      appendFileSync(log, "price\n");
      return 80;
    });
    const { approved } = await ctx
      .scope("refund")
      .ask({ title: `Refund ${euros} €?`, schema: { approved: z.boolean() } });
    return new StopEvent({ result: `${euros} ${approved}` });
  })
  .build();

const store = sqliteStore(path, { durability: "process", busyTimeoutMs: patienceMs, pollMs: 50 });
const runtime = createRuntime({ workflows: { flow }, store, leaseMs: 1_000 });
await runtime.start();
const handle = runtime.run("flow", {}, { runId: "one" });
await handle.idle();
const [prompt] = await handle.prompts();
const promptId = prompt?.promptId ?? "";
writeSync(1, `${promptId} ${JSON.stringify(prompt?.event.toJSON()["title"])}\n`);
if (mode === "end") {
  const code = await handle
    .answer(promptId, { approved: "yes" })
    .catch((error: { readonly code: string }) => error.code);
  writeSync(1, `${code}\n`);
  await handle.answer(promptId, { approved: true });
  writeSync(1, `${await handle}\n`);
}
