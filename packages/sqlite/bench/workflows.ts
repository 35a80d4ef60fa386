/** The workflows that are measured, and runtimes for them. */
import { setTimeout as sleep } from "node:timers/promises";
import { sqliteStore } from "@millrace/sqlite";
import { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent } from "millrace";
import {
  createRuntime,
  encryptedStore,
  type RunFilter,
  type RunListing,
  type Runtime,
  type RuntimeOptions,
} from "millrace/runtime";
import * as z from "zod";
import type { Durability } from "./files.ts";
import type { Driver } from "./measure.ts";

class Begin extends StartEvent.define("Begin", { steps: z.number() }) {}
class Next extends event("Next", { left: z.number() }) {}
class Done extends StopEvent.define("Done", { left: z.number() }) {}

const after = (left: number): Next | Done => (left > 0 ? new Next({ left }) : new Done({ left }));

/** When each step of the runs began, for whoever asks: see {@link steps}. */
let times: number[] | null = null;

/** As many steps as it is told, one after the other. */
const chain = defineWorkflow("chain")
  .step("begin", { on: Begin, emits: [Next, Done] }, async ({ steps }) => {
    times?.push(performance.now());
    return after(steps - 1);
  })
  .step("next", { on: Next, emits: [Next, Done] }, async ({ left }) => {
    times?.push(performance.now());
    return after(left - 1);
  })
  .build();

/** Milliseconds from each step of `work` to the next. */
export async function stepTimes(work: () => Promise<unknown>): Promise<number[]> {
  const found: number[] = [];
  times = found;
  await work();
  times = null;
  return found.slice(1).map((atMs, index) => atMs - (found[index] ?? Number.NaN));
}

class Ask extends StartEvent.define("Ask", { text: z.string() }) {}
export class Answer extends ExternalEvent.define("Answer", { text: z.string() }) {}

/** Waits until somebody answers. */
const ask = defineWorkflow("ask")
  .step("ask", { on: Ask, emits: StopEvent, waits: Answer }, async (_, ctx) => {
    const { text } = await ctx.waitForEvent(Answer);
    return new StopEvent({ result: text });
  })
  .build();

class Count extends StartEvent.define("Count", { count: z.number(), atOnce: z.number() }) {}

type Calling = { run(key: string, work: () => Promise<number>): Promise<number> };

/** As many calls as it is told, and how many of them. */
async function makeCalls(ctx: Calling, { count, atOnce }: Count): Promise<number> {
  let made = 0;
  for (let first = 0; first < count; first += atOnce) {
    const keys = Array.from({ length: Math.min(atOnce, count - first) }, (_, index) => first + index);
    made += (await Promise.all(keys.map((key) => ctx.run(`call ${key}`, async () => key)))).length;
  }
  return made;
}

/** A step that makes calls, and one that waits behind them. */
export const callFlows = {
  calls: defineWorkflow("calls")
    .step("work", { on: Count, emits: StopEvent }, async (start, ctx) => {
      return new StopEvent({ result: await makeCalls(ctx, start) });
    })
    .build(),
  recorded: defineWorkflow("recorded")
    .step("work", { on: Count, emits: StopEvent, waits: Answer }, async (start, ctx) => {
      const made = await makeCalls(ctx, start);
      await ctx.waitForEvent(Answer);
      return new StopEvent({ result: made });
    })
    .build(),
};

export const workflows = { chain, ask };
export type Flows = typeof workflows;

export interface RuntimeAt extends Omit<RuntimeOptions<Flows>, "workflows" | "store"> {
  readonly path: string;
  readonly driver: Driver;
  readonly durability: Durability;
  /** Encrypts every text. @default false */
  readonly isEncrypted?: boolean;
}

/** Runs `work` with a runtime, and stops it. */
export async function withRuntime<Result>(
  { path, driver, durability, isEncrypted = false, ...options }: RuntimeAt,
  work: (runtime: Runtime<Flows>) => Promise<Result>,
): Promise<Result> {
  const plain = sqliteStore(path, { driver, durability });
  const store = isEncrypted ? encryptedStore(plain, { keys: [{ id: "bench", key: new Uint8Array(32) }] }) : plain;
  const runtime = createRuntime({ ...options, workflows, store });
  try {
    return await work(runtime);
  } finally {
    await runtime.stop();
  }
}

/** Runs of the chain, all at once, each with its result. */
export async function runChains(runtime: Runtime<Flows>, runs: number, steps: number): Promise<void> {
  const handles = Array.from({ length: runs }, () => runtime.run("chain", { steps }));
  const results = await Promise.all(handles);
  if (results.some((result) => result.left !== 0)) throw new TypeError("a run has the wrong result");
}

/** Everything that is stored, page by page. */
export async function allRuns(runtime: Runtime<Flows>, filter: RunFilter = {}): Promise<RunListing[]> {
  const found: RunListing[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await runtime.runs({ ...filter, limit: 1000, ...(cursor !== undefined && { cursor }) });
    found.push(...page.runs);
    cursor = page.cursor;
  }
  return found;
}

const BATCH = 1000;

/** As many more runs that wait. Nobody keeps the handles. */
export async function pauseRuns(runtime: Runtime<Flows>, count: number): Promise<void> {
  for (let first = 0; first < count; first += BATCH) {
    const handles = Array.from({ length: BATCH }, () => runtime.run("ask", { text: "ready?" }));
    await Promise.all(handles.map((handle) => handle.idle()));
  }
  await sleep(200);
}

/** Bytes in use once everything that can go is gone. */
export async function keptBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new TypeError("Start node with --expose-gc");
  for (let pass = 0; pass < 4; pass++) {
    await sleep(20);
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}
