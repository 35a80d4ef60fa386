/** One of the servers that are measured: `bare`, `memory`, `sqlite` (process) or `sqlite-power`. Prints its port. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { serve } from "@hono/node-server";
import { createServer } from "@millrace/server";
import { sqliteStore } from "@millrace/sqlite";
import { Hono } from "hono";
import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import * as z from "zod";

class Text extends StartEvent.define("Text", { text: z.string() }) {}
class Trimmed extends event("Trimmed", { text: z.string() }) {}
class Counted extends event("Counted", { words: z.number() }) {}

const three = defineWorkflow("three")
  .step("trim", { on: Text, emits: Trimmed }, ({ text }) => new Trimmed({ text: text.trim() }))
  .step("count", { on: Trimmed, emits: Counted }, ({ text }) => new Counted({ words: text.split(" ").length }))
  .step("answer", { on: Counted, emits: StopEvent }, ({ words }) => new StopEvent({ result: words }))
  .build();

const [kind = "bare", steady = ""] = process.argv.slice(2);
const folder = join(import.meta.dirname, ".data");

/** The same work without workflows: the body is parsed and checked, and the answer is of the same size. */
function bare(): Hono {
  const body = z.object({ start_event: z.object({ text: z.string() }) });
  return new Hono().post("/workflows/three/run", async (context) => {
    const { start_event: start } = body.parse(await context.req.json());
    const words = start.text.trim().split(" ").length;
    const at = new Date().toISOString();
    const id = crypto.randomUUID();
    return context.json({ handler_id: id, run_id: id, started_at: at, updated_at: at, completed_at: at, words });
  });
}

async function millrace(): Promise<Hono> {
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, "runs.db"), { force: true });
  const durability = kind === "sqlite-power" ? "power" : "process";
  const store = kind === "memory" ? {} : { store: sqliteStore(join(folder, "runs.db"), { durability }) };
  const runtime = createRuntime({ workflows: { three }, ...store });
  await runtime.start();
  if (steady !== "") setInterval(() => void runtime.retain({ olderThan: 100 }), 200);
  return createServer({ runtime }) as unknown as Hono;
}

const app = kind === "bare" ? bare() : await millrace();
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(port));
for await (const _line of createInterface({ input: process.stdin })) {
  globalThis.gc?.();
  console.log(process.memoryUsage().heapUsed);
}
