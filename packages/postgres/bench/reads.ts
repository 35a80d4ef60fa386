/**
 * What reads cost: counts and searches among 100,000 runs, and a look back at a run of 1,000 ticks.
 *
 *     cd packages/postgres && node --import @millrace/conformance/source bench/reads.ts
 *
 * Medians of nine calls, in milliseconds, of `runtime` and in one process.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent } from "millrace";
import { createRuntime, type RunStore, type Runtime } from "millrace/runtime";
import { z } from "zod";
import { sqliteStore } from "../../sqlite/src/index.js";
import { postgresStore } from "../src/index.js";
import { Server } from "../test/support/server.js";

const runs = 100_000;
const steps = 1_000;
const batch = 1_000;
const rounds = 9;

class Begin extends StartEvent.define("Begin", { how: z.enum(["ends", "waits", "fails"]) }) {}
class Next extends event("Next", { n: z.number() }) {}
class Go extends ExternalEvent.define("Go") {}

const short = defineWorkflow("short")
  .step("only", { on: Begin, emits: StopEvent, waits: Go }, async ({ how }, ctx) => {
    if (how === "fails") throw new TypeError(`out of paper ${ctx.runId}`);
    if (how === "waits") await ctx.waitForEvent(Go);
    return new StopEvent({ result: null });
  })
  .build();
const long = defineWorkflow("long", { state: { n: z.number().default(0) } })
  .step("begin", { on: StartEvent, emits: Next }, () => new Next({ n: 1 }))
  .step("go", { on: Next, emits: [Next, StopEvent] }, async ({ n }, ctx) => {
    await ctx.store.editState((draft) => void (draft.n = n));
    return n === steps ? new StopEvent({ result: n }) : new Next({ n: n + 1 });
  })
  .build();

async function measure(name: string, store: RunStore): Promise<void> {
  const log = { info: () => {}, error: () => {} };
  const runtime = createRuntime({ workflows: { short, long }, store, log, idleReleaseMs: 0 }) as unknown as Runtime;
  for (let first = 0; first < runs; first += batch) await fill(runtime, first);
  const runId = "long";
  await runtime.run("long", {}, { runId });
  const { last = 0 } = (await runtime.ticks(runId)) ?? {};
  const read = async (of: AsyncIterable<unknown>): Promise<void> => {
    for await (const _ of of);
  };
  const rows: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["counts", () => runtime.counts()],
    ["counts of a label that a tenth has", () => runtime.counts({ labels: { team: "3" } })],
    ["a page of 100, newest first", () => runtime.runs({ limit: 100 })],
    ["search for the beginning of an id, one found", () => whole(runtime, { search: "run-77777" })],
    ["search for an error, one found", () => whole(runtime, { search: "paper run-77770" })],
    ["search for what is nowhere", () => whole(runtime, { search: "nowhere" })],
    ["the same, failed runs only", () => whole(runtime, { search: "nowhere", status: ["failed"] })],
    [`all attempts of a run of ${last} ticks`, () => read(runtime.attempts(runId))],
    ["the run at its middle", () => runtime.at(runId, Math.round(last / 2))],
    ["the run at its end", () => runtime.at(runId, last)],
    ["its history with changes", () => read(runtime.history(runId, { details: true }))],
  ];
  for (const [what, call] of rows) console.log(`| ${name} | ${what} | ${(await median(call)).toFixed(1)} |`);
  await runtime.stop({ drainMs: 0 });
}

/** All pages. */
async function whole(runtime: Runtime, filter: object): Promise<void> {
  let cursor: string | null = null;
  do {
    const page: { readonly cursor: string | null } = await runtime.runs({
      ...filter,
      ...(cursor !== null && { cursor }),
    });
    cursor = page.cursor;
  } while (cursor !== null);
}

async function fill(runtime: Runtime, first: number): Promise<void> {
  const numbers = Array.from({ length: batch }, (_, index) => first + index);
  await Promise.all(
    numbers.map((number) => {
      const how = number % 10 === 0 ? "fails" : number % 10 === 1 ? "waits" : "ends";
      const labels = { team: String(Math.floor(number / 10) % 10) };
      return runtime.run("short", { how }, { runId: `run-${number}`, labels }).idle();
    }),
  );
}

async function median(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begunMs = performance.now();
    await call();
    times.push(performance.now() - begunMs);
  }
  return times.sort((one, other) => one - other)[Math.floor(rounds / 2)] as number;
}

const folder = join(import.meta.dirname, ".data");
mkdirSync(folder, { recursive: true });
const path = join(folder, "reads.db");
for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
await measure("SQLite", sqliteStore(path, { durability: "process" }));
await using server = await Server.start();
await measure("PostgreSQL", postgresStore({ connectionString: server.url }));
