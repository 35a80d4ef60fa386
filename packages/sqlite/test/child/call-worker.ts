/**
 * Charges once in a recorded call that also sends, and with the same key in two scopes, and prints a line once that is recorded. Then it holds for ever, or goes on to the
 * end and prints what has come.
 */
import { appendFileSync, writeSync } from "node:fs";
import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { z } from "zod";
import { sqliteStore } from "../../src/index.js";
import { patienceMs } from "../runs.js";

const [path, log, mode] = process.argv.slice(2) as [string, string, "hold" | "end"];

class Charged extends event("Charged", { by: z.string() }) {}
class Done extends event("Done", {}) {}

const flow = defineWorkflow("flow", { state: { came: z.array(z.string()).default([]) } })
  .step("pay", { on: StartEvent, emits: [Charged, Done] }, async (_ev, ctx) => {
    await ctx.run("charge", async () => {
      appendFileSync(log, "charge\n");
      ctx.sendEvent(new Charged({ by: "run" }));
      await ctx.store.editState((state) => void state.came.push("edit in run"));
    });
    const shop = ctx.scope("shop");
    await Promise.all(
      [shop, shop.scope("till")].map((scope, index) =>
        scope.run("charge", async ({ idempotencyKey }) => {
          appendFileSync(log, `${idempotencyKey}\n`);
          await scope.store.editState((state) => void state.came.push(`scope ${index}`), { key: "edit" });
        }),
      ),
    );
    await ctx.store.editState((state) => {
      state.came.push("edit");
      ctx.sendEvent(new Charged({ by: "edit" }));
    });
    writeSync(1, "recorded\n");
    if (mode === "hold") await new Promise(() => {});
    return new Done({});
  })
  .step("note", { on: Charged, emits: [] }, async ({ by }, ctx) => {
    await ctx.store.editState((state) => void state.came.push(by));
    return null;
  })
  .step("end", { on: Done, emits: StopEvent }, async (_ev, ctx) => {
    while ((await ctx.store.getState()).came.length < 6) await ctx.sleep(20);
    return new StopEvent({ result: (await ctx.store.getState()).came });
  })
  .build();

const store = sqliteStore(path, { durability: "process", busyTimeoutMs: patienceMs, pollMs: 50 });
const runtime = createRuntime({ workflows: { flow }, store, leaseMs: 1_000 });
await runtime.start();
const handle = runtime.run("flow", {}, { runId: "one" });
if (mode === "end") writeSync(1, `${JSON.stringify([...(await handle)].sort())}\n`);
