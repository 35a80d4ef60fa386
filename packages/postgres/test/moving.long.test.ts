/** Runs move between all stores that there are, in every direction. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineWorkflow, event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore, type RunStore, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { sqliteStore } from "../../sqlite/src/index.js";
import { TestSchema } from "./support/stores.js";

class Ask extends InputRequiredEvent.define("Ask", { filler: z.string() }) {}
class Said extends HumanResponseEvent.define("Said", { text: z.string() }) {}
class Told extends event("Told", { text: z.string() }) {}

const child = defineWorkflow("child")
  .step("ask", { on: StartEvent, emits: StopEvent, waits: Said, streams: Ask }, async (_ev, ctx) => {
    const { text } = await ctx.waitForEvent(Said, { prompt: new Ask({ filler: "ü".repeat(100_000) }) });
    return new StopEvent({ result: text });
  })
  .build();

const talk = defineWorkflow("talk", { children: { child } })
  .step("ask", { on: StartEvent, emits: Told, waits: Said }, async (_ev, ctx) => {
    const text = await ctx.runChild("child", {});
    const { text: more } = await ctx.waitForEvent(Said, { key: "more" });
    return new Told({ text: `${text} ${more}` });
  })
  .step("end", { on: Told, emits: StopEvent }, async ({ text }) => new StopEvent({ result: text }))
  .build();

const opens = {
  memory: () => memoryStore(),
  SQLite: () => {
    const directory = mkdtempSync(join(tmpdir(), "millrace-moving-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    return sqliteStore(join(directory, "runs.db"));
  },
  PostgreSQL: () => {
    const schema = new TestSchema();
    onTestFinished(() => schema[Symbol.asyncDispose]());
    return schema.open();
  },
} satisfies { readonly [name: string]: () => RunStore };
type Name = keyof typeof opens;
const names = Object.keys(opens) as Name[];

function runtimeOf(name: Name): Runtime {
  const runtime = createRuntime({
    workflows: { talk },
    store: opens[name](),
    idleReleaseMs: 0,
    snapshotEvery: 3,
    queues: { slow: { concurrency: 1, priority: true } },
  }) as never as Runtime;
  onTestFinished(() => runtime.stop());
  return runtime;
}

async function whenFree(runtime: Runtime): Promise<unknown[]> {
  for (;;) {
    const parts: unknown[] = [];
    try {
      for await (const part of runtime.export("run")) parts.push(part);
      return JSON.parse(JSON.stringify(parts)) as unknown[];
    } catch (error) {
      if ((error as { code?: string }).code !== "RUN_LIVE") throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const directions = names.flatMap((from) => names.map((to) => [from, to] as const));

describe.each(directions)("a run that moves from %s to %s, and back", (from, to) => {
  it("goes on with its child, its place in a queue, its messages and its stream", async () => {
    const [source, target] = [runtimeOf(from), runtimeOf(to)];
    const started = source.run("talk", {}, { runId: "run", queue: "slow", queueKey: "ann", priority: 3 });
    await started.accepted;
    await started.idle();
    const parts = await whenFree(source);
    const before = await source.handle("run").summary();

    expect(await target.import(parts)).toMatchObject({ isNew: true });
    expect(await target.import(parts)).toMatchObject({ isNew: false });
    await source.delete("run");

    expect(before.isSealed).toBe(true);
    expect(await target.handle("run").summary()).toEqual({ ...before, isSealed: false });
    const [prompt] = await target.handle("run").prompts();
    const answer = (runtime: Runtime, text: string) =>
      runtime.handle("run").answer(prompt?.promptId ?? "", { text }, { key: "1" });
    expect((await answer(target, "one")).status).toBe("accepted");
    await target.handle("run").idle();
    await source.import(await whenFree(target));
    await target.delete("run");
    expect((await answer(source, "no")).status).toBe("accepted");
    await source.handle("run").sendEvent(new Said({ text: "two" }), { key: "2" });

    expect(await source.handle("run")).toBe("one two");
    const shown = (await source.handle("run").streamEvents().toArray()).map(({ sequence }) => sequence);
    expect(shown).toEqual(shown.map((_, index) => index));
  });
});
