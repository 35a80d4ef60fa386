/**
 * Charges in a call that fails once, holds or kills its own process in the second attempt, and succeeds in the third. Each attempt is a
 * line of the log, and the result is printed.
 */
import { appendFileSync, writeSync } from "node:fs";
import { defineWorkflow, event, retryPolicy, StartEvent, StopEvent, stop, wait } from "millrace";
import { createRuntime } from "millrace/runtime";
import { z } from "zod";
import { sqliteStore } from "../../src/index.js";
import { patienceMs } from "../runs.js";

const [path, log, mode, delay] = process.argv.slice(2) as [string, string, "hold" | "poison", string];

class Charged extends event("Charged", { by: z.string() }) {}
class Done extends event("Done", { attempt: z.number() }) {}

const flow = defineWorkflow("flow", { state: { edits: z.number().default(0), came: z.array(z.string()).default([]) } })
  .step("pay", { on: StartEvent, emits: [Charged, Done] }, async (_ev, ctx) => {
    const attempt = await ctx.run(
      "charge",
      async (call) => {
        appendFileSync(log, `${call.attempt} ${call.idempotencyKey.split(":").slice(1).join(":")}\n`);
        await ctx.store.editState((state) => void state.edits++);
        if (call.attempt === 1) throw new Error("busy");
        if (call.attempt === 2 && mode === "poison") process.kill(process.pid, "SIGKILL");
        if (call.attempt === 2) {
          writeSync(1, "second\n");
          await new Promise(() => {});
        }
        return call.finish((state) => {
          state.came.push("edit");
          ctx.sendEvent(new Charged({ by: "call" }));
          return call.attempt;
        });
      },
      { retry: retryPolicy({ wait: wait.fixed(Number(delay)), stop: stop.never }), label: "Charge the card" },
    );
    return new Done({ attempt });
  })
  .step("note", { on: Charged, emits: [] }, async ({ by }, ctx) => {
    await ctx.store.editState((state) => void state.came.push(by));
    return null;
  })
  .step("end", { on: Done, emits: StopEvent }, async ({ attempt }, ctx) => {
    while ((await ctx.store.getState()).came.length < 2) await ctx.sleep(20);
    return new StopEvent({ result: { attempt, ...(await ctx.store.getState()) } });
  })
  .build();

const store = sqliteStore(path, { durability: "process", busyTimeoutMs: patienceMs, pollMs: 50 });
const runtime = createRuntime({ workflows: { flow }, store, leaseMs: 1_000 });
await runtime.start();
const handle = runtime.run("flow", {}, { runId: "one" });
writeSync(1, "started\n");
writeSync(1, `${JSON.stringify(await handle)}\n`);
