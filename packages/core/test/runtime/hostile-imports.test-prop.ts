/** Exports from an enemy: each is refused with a code and nothing is stored, or it is a run like any other. */

import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { casesOf } from "../../../../test-share.js";
import {
  createRuntime,
  type ImportedRun,
  memoryStore,
  type RunKey,
  type RunStore,
  type Runtime,
} from "../../src/entries/runtime.js";
import {
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  WorkflowError,
} from "../../src/index.js";
import { mutated, mutations, type Part } from "../support/hostile-parts.js";
import { silent } from "../support/runtimes.js";

class Ask extends InputRequiredEvent.define("Ask", { text: z.string() }) {}
class Said extends HumanResponseEvent.define("Said", { text: z.string() }) {}
class Told extends event("Told", { text: z.string() }) {}
class Begin extends StartEvent.define("Begin", { filler: z.string().default("") }) {
  static runRecords() {
    return [{ kind: "note", id: "n" }];
  }
}

const child = defineWorkflow("child")
  .step("ask", { on: StartEvent, emits: StopEvent, waits: Said, streams: Ask }, async (_ev, ctx) => {
    const { text } = await ctx.waitForEvent(Said, { prompt: new Ask({ text: "of the child" }) });
    return new StopEvent({ result: text });
  })
  .build();

const talk = defineWorkflow("talk", { children: { child }, state: z.object({ said: z.array(z.string()).default([]) }) })
  .step("ask", { on: Begin, emits: Told, waits: Said, streams: Ask }, async ({ filler }, ctx) => {
    const { text } = await ctx.waitForEvent(Said, { key: "one", prompt: new Ask({ text: filler }) });
    await ctx.store.editState((draft) => void draft.said.push(text));
    return new Told({ text });
  })
  .step("more", { on: Told, emits: StopEvent }, async (_ev, ctx) => {
    const text = await ctx.runChild("child", {});
    return new StopEvent({ result: `${(await ctx.store.get("said")).join()} ${text}` });
  })
  .build();

const HOUR = 3_600_000;
const options = {
  workflows: { talk },
  queues: { slow: { concurrency: 1 } },
  idleReleaseMs: 0,
  snapshotEvery: 2,
  log: silent,
};

function open(store: RunStore, more: object = {}): Runtime {
  return createRuntime({ ...options, store, ...more } as never) as never;
}

async function partsOf(runtime: Runtime, runId: string): Promise<Part[]> {
  const parts: unknown[] = [];
  for await (const part of runtime.export(runId)) parts.push(part);
  return JSON.parse(JSON.stringify(parts)) as Part[];
}

/** Runs that stand in every way that a run can stand. */
async function exported(): Promise<Map<string, Part[]>> {
  const store = memoryStore();
  const runtime = open(store, { execute: true });
  await runtime.records.write([{ kind: "note", id: "n", expected: 0, value: { a: new Map([["b", 1]]) } }]);
  const start = async (runId: string, more: object = {}, input: object = {}): Promise<void> => {
    const handle = runtime.run("talk", input as never, { runId, labels: { of: "ann" }, ...more });
    await handle.accepted;
    if (!("startAt" in more)) await handle.idle();
  };
  const say = async (runId: string): Promise<void> => {
    const [prompt] = await runtime.handle(runId).prompts();
    await runtime.handle(runId).answer(prompt?.promptId ?? "", { text: "x" }, { key: `${runId}-${prompt?.promptId}` });
    await runtime.handle(runId).idle();
  };
  await start("asks");
  await start("queued", { queue: "slow", queueKey: "ann" });
  await start("in-child");
  await say("in-child");
  await start("ended");
  await say("ended");
  await say("ended");
  await start("cancelled");
  await runtime.handle("cancelled").cancel("enough");
  await start("scheduled", { startAt: Date.now() + HOUR });
  await start("large", {}, { filler: "ü".repeat(70_000) });
  await say("large");
  await start("forked");
  await runtime.fork("forked", { at: 1, runId: "fork" }).accepted;
  await runtime.handle("fork").idle();
  await start("posted");
  await runtime.stop();
  const idle = open(store, { execute: false });
  const key: RunKey = { tenant: "", runId: "posted" };
  idle
    .handle("posted")
    .sendEvent(new Said({ text: "open" }), { key: "k" })
    .catch(() => {}); // refused by the seal
  while ((await store.posts(key)).length === 0) await null;
  const ids = ["asks", "queued", "in-child", "ended", "cancelled", "scheduled", "large", "fork", "posted"];
  return new Map(await Promise.all(ids.map(async (runId) => [runId, await partsOf(idle, runId)] as const)));
}

/** All that can be read of a store. */
async function dump(store: RunStore): Promise<string> {
  const { runs } = await store.list({ tenant: "", limit: 1_000 });
  const rows = await Promise.all(
    runs.map(async (run) => {
      const { key } = run;
      const snapshots: unknown[] = [];
      for (let next = await store.snapshot(key); next !== null; next = await store.snapshot(key, next.tick - 1))
        snapshots.push(next);
      const all = { after: -1, limit: 1_000 };
      const ticks = await store.ticks(key, { after: 0, limit: 1_000 });
      return [
        run,
        ticks,
        snapshots,
        await store.events(key, all),
        await store.posts(key),
        await store.received(key, all),
      ];
    }),
  );
  return JSON.stringify([await store.tenants(), rows, await store.records({ tenant: "", kind: "note", limit: 1_000 })]);
}

/** Answers what it asks, and cancels what asks nothing: gives how it has ended. */
async function endOf(runtime: Runtime, runId: string): Promise<string> {
  const handle = runtime.handle(runId);
  await handle.accepted;
  if ((await handle.summary()).status === "scheduled") await handle.cancel("not now");
  for (let turn = 0; turn < 4; turn++) {
    const outcome = await handle.idle();
    if (outcome.status !== "waiting") return outcome.status;
    const answers = outcome.prompts.map(({ promptId }) => handle.answer(promptId, { text: "y" }));
    const taken = (await Promise.allSettled(answers)).filter(({ status }) => status === "fulfilled");
    if (taken.length === 0) await handle.cancel("it takes no answer");
  }
  await handle.cancel("it asks on and on");
  return (await handle.idle()).status;
}

/** Reads an imported run in every way in which a run can be read, before it continues. */
async function readAll(runtime: Runtime, runId: string): Promise<void> {
  const handle = runtime.handle(runId);
  const summary = await handle.summary();
  const [listed] = (await runtime.runs()).runs;
  expect(listed).toEqual(summary);
  for (const atMs of [summary.createdAtMs, summary.updatedAtMs, summary.endedAtMs ?? 0, summary.wakeAtMs ?? 0])
    expect(new Date(atMs).toISOString()).toBeTypeOf("string");
  await handle.outcome();
  await handle.prompts();
  const numbers: number[] = [];
  for await (const { number, atMs } of runtime.history(runId)) {
    numbers.push(number);
    expect(new Date(atMs).toISOString()).toBeTypeOf("string");
  }
  const detailed: number[] = [];
  for await (const { number } of runtime.history(runId, { details: true })) detailed.push(number);
  for await (const _ of runtime.attempts(runId)) void _;
  const kept = (await runtime.ticks(runId)) ?? { first: 1, last: 0 };
  for (let number = kept.first; number <= kept.last; number++) {
    await runtime.at(runId, number);
    await runtime.stateAt(runId, number);
  }
  await runtime.children(runId);
  await handle.snapshot();
  let seen = -1;
  if (summary.lastEvent >= 0)
    for await (const { sequence } of handle.streamEvents()) if ((seen = sequence) >= summary.lastEvent) break;
  expect(seen).toBe(summary.lastEvent);
  expect(detailed.filter((one) => !numbers.includes(one))).toEqual([]);
}

async function inTime<Value>(what: string, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It hangs: ${what}.`)), 120_000);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** What a fault of the code says, in whatever error it stands. */
const raw = /is not a function|not iterable|Cannot (?!happen)|\[object|BigInt|Symbol|Invalid array length|call stack/;

/** The code that it is refused with, or how the run ends. */
async function fateOf(parts: readonly unknown[]): Promise<string> {
  const store = memoryStore();
  const runtime = open(store, { execute: false });
  await runtime.records.write([{ kind: "mine", id: "m", expected: 0, value: 1 }]);
  const before = await dump(store);
  try {
    const imported = await inTime("import", runtime.import(parts)).catch((error: unknown) => error);
    if (imported instanceof Error) {
      if (!WorkflowError.is(imported)) throw imported;
      if (raw.test(imported.message)) throw new Error(`A fault: ${imported.message}`, { cause: imported });
      expect(await dump(store)).toBe(before);
      return imported.code;
    }
    const { runId } = imported as ImportedRun;
    await inTime("read", readAll(runtime, runId));
    const executing = open(store);
    return await inTime("end", endOf(executing, runId)).finally(() => executing.stop({ drainMs: 0 }));
  } finally {
    await runtime.stop({ drainMs: 0 });
    expect(({} as Part)["polluted"]).toBeUndefined();
  }
}

const refusals = new Set(["EXPORT_INVALID", "WORKFLOW_UNKNOWN", "RUN_ID_CONFLICT", "RECORD_CONFLICT", "RUN_TOO_LARGE"]);
const ends = new Set(["completed", "failed", "cancelled", "timedOut"]);

let runs: [string, Part[]][] = [];
beforeAll(async () => {
  runs = [...(await exported())];
});

describe("an import of changed parts", () => {
  it("is refused with nothing stored, or can be read in every way and runs to an end", {
    timeout: 600_000,
  }, async () => {
    const fates = new Map<string, number>();
    const others = runs.flatMap(([, parts]) => parts);
    await fc.assert(
      fc.asyncProperty(fc.nat(runs.length - 1), mutations, async (index, all) => {
        const fate = await fateOf(mutated(runs[index]?.[1] as Part[], others, all));
        fates.set(fate, (fates.get(fate) ?? 0) + 1);
        expect([...refusals, ...ends]).toContain(fate);
      }),
      { numRuns: casesOf(2_500) },
    );
    expect(fates.get("EXPORT_INVALID")).toBeGreaterThan(0);
    expect(fates.get("completed")).toBeGreaterThan(0);
  });

  it.each(["asks", "in-child", "fork"])("is refused with work for a step that there is not: %s", async (id) => {
    const parts = runs.find(([name]) => name === id)?.[1] as Part[];
    const changed = parts.map((part) =>
      part["type"] === "snapshot"
        ? JSON.parse(JSON.stringify(part).replaceAll(/"step":"(ask|more)"/g, '"step":"gone"'))
        : part,
    );

    expect(changed).not.toEqual(parts);
    expect(await fateOf(changed)).toBe("EXPORT_INVALID");
  });
});
