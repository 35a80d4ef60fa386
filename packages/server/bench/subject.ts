/** One of the servers that are measured: `bare`, `memory`, `sqlite` (process) or `sqlite-power`. Prints its port. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { serve } from "@hono/node-server";
import { createServer } from "@millrace/server";
import { sqliteStore } from "@millrace/sqlite";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent } from "millrace";
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

class Show extends StartEvent.define("Show", { events: z.number() }) {}
class Go extends ExternalEvent.define("Go", {}) {}
class Shown extends event("Shown", { number: z.number() }) {}

/** Shows nothing before it is told to. */
const show = defineWorkflow("show")
  .step("show", { on: Show, emits: StopEvent, waits: Go, streams: Shown }, async ({ events }, ctx) => {
    await ctx.waitForEvent(Go);
    for (let number = 0; number < events; number++) ctx.writeEventToStream(new Shown({ number }));
    return new StopEvent({ result: events });
  })
  .build();

const [kind = "bare", steady = ""] = process.argv.slice(2);
const folder = join(import.meta.dirname, ".data");

/** The same work without workflows: the body is parsed and checked, and the answer is of the same size. */
function bare(): Hono {
  const body = z.object({ start_event: z.object({ text: z.string() }) });
  const app = new Hono();
  bareStream(app);
  return app.post("/workflows/three/run", async (context) => {
    const { start_event: start } = body.parse(await context.req.json());
    const words = start.text.trim().split(" ").length;
    const at = new Date().toISOString();
    const id = crypto.randomUUID();
    return context.json({ handler_id: id, run_id: id, started_at: at, updated_at: at, completed_at: at, words });
  });
}

/** Every reader gets as many events of the same size. */
function bareStream(app: Hono): void {
  let go = (): void => {};
  const going = new Promise<void>((resolve) => {
    go = resolve;
  });
  let events = 0;
  app.post("/workflows/show/run-nowait", async (context) => {
    events = (await context.req.json()).start_event.events;
    return context.json({ handler_id: "bare" });
  });
  app.post("/events/:id", (context) => {
    go();
    return context.json({ status: "sent" });
  });
  app.get("/events/:id", (context) =>
    streamSSE(context, async (stream) => {
      await stream.write("retry: 1000\n\n");
      await going;
      for (let number = 0; number < events; number++) {
        const shown = {
          value: { number },
          type: "Shown",
          types: null,
          qualified_name: "Shown",
          sequence: number,
          origin: null,
        };
        await stream.writeSSE({ id: String(number), data: JSON.stringify(shown) });
      }
    }),
  );
}

async function millrace(): Promise<Hono> {
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, "runs.db"), { force: true });
  const durability = kind === "sqlite-power" ? "power" : "process";
  const store = kind === "memory" ? {} : { store: sqliteStore(join(folder, "runs.db"), { durability }) };
  const runtime = createRuntime({ workflows: { three, show }, ...store });
  await runtime.start();
  if (steady !== "") setInterval(() => void runtime.retain({ olderThan: 100 }), 200);
  return createServer({
    runtime,
    limits: { streamsPerClient: 1_000, startsPerMinutePerClient: 1e9 },
  }) as unknown as Hono;
}

const app = kind === "bare" ? bare() : await millrace();
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(port));
for await (const _line of createInterface({ input: process.stdin })) {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  console.log(`${(heapUsed / 1e6).toFixed(1)} ${(rss / 1e6).toFixed(0)}`);
}
