/**
 * Starts all runs of a queue, which are there once whoever was first, and takes up what the limits leave. Each piece of work writes
 * into the log when it begins and ends, and a run sleeps between two of them.
 */
import { appendFileSync, writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { z } from "zod";
import { sqliteStore } from "../../src/index.js";
import { type QueueLog, queue, runsOfQueue } from "../queue-log.js";
import { patienceMs } from "../runs.js";

const [path, log] = process.argv.slice(2) as [string, string];

class Begin extends StartEvent.define("Begin", { id: z.string(), key: z.string() }) {}
class Rested extends event("Rested", { id: z.string(), key: z.string() }) {}

function note(line: Omit<QueueLog, "pid">): void {
  appendFileSync(log, `${JSON.stringify({ ...line, pid: process.pid })}\n`);
}

async function work({ id, key }: { readonly id: string; readonly key: string }, part: 1 | 2): Promise<void> {
  note({ what: "begin", id, key, part });
  await pause(5 + ((id.length * 7 + part) % 20));
  note({ what: "end", id, key, part });
}

const flow = defineWorkflow("flow")
  .step("first", { on: Begin, emits: Rested }, async ({ id, key }, ctx) => {
    await ctx.run("first", () => work({ id, key }, 1));
    note({ what: "rest", id, key, part: 1 });
    await ctx.sleep(300);
    return new Rested({ id, key });
  })
  .step("second", { on: Rested, emits: StopEvent }, async ({ id, key }) => {
    await work({ id, key }, 2);
    return new StopEvent({ result: id });
  })
  .build();

const store = sqliteStore(path, { durability: "process", busyTimeoutMs: patienceMs, pollMs: 50 });
const runtime = createRuntime({ workflows: { flow }, store, queues: { llm: queue }, leaseMs: 2_000 });
await runtime.start();
const started = runsOfQueue.map(({ id, key, priority }) =>
  runtime.run("flow", { id, key }, { runId: id, queue: "llm", queueKey: key, priority }),
);
await Promise.all(started.map(({ accepted }) => accepted));
writeSync(1, "started\n");
