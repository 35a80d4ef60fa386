/** The largest values that a run may have: kept, loaded in another process, and refused beyond. */
import { describe, expect, it, onTestFinished } from "vitest";
import { type Context, defineWorkflow, StartEvent, StopEvent } from "../../src/index.js";
import { valueLimits } from "../../src/value/limits.js";
import { limited } from "../support/limited.js";
import { Machine } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { recordLog } from "../support/virtual-clock.js";

/** A tenth of what is documented. A walk that is not linear shows here as well. */
const embeddings = (): number[][] => Array.from({ length: 1_000 }, (_, row) => Array(1_536).fill(row % 10));

const keeping = (keep: (ctx: Context) => Promise<unknown>, log = recordLog()) =>
  defineWorkflow("keeping")
    .step("keep", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const told = await keep(ctx as Context).then(() => "taken", String);
      return new StopEvent({ result: told });
    })
    .build({ log });

describe("1,000 embeddings of 1,536 numbers beside a date, with a limit of two million items", () => {
  it("are one value of the state, which another process reads and a log mentions once", async () => {
    onTestFinished(limited(valueLimits, { items: 2_000_000 }));
    const log = recordLog();
    const machine = new Machine();
    const flow = keeping((ctx) => ctx.store.set("index", { at: new Date(5), rows: embeddings() }), log);
    const { runtime } = machine.open({ flow });

    expect(await runtime.run("flow", {}, { runId: "one" })).toBe("taken");

    const snapshot = await machine
      .open({ flow: keeping(async () => {}) })
      .runtime.handle("one")
      .snapshot();
    const { store } = snapshot as unknown as { store: { json: { index: { rows: number[][] } } } };
    expect(store.json.index.rows.length).toBe(1_000);
    expect(store.json.index.rows[999]).toEqual(Array(1_536).fill(9));
    expect(log.lines.filter((line) => line.includes("near its limit"))).toHaveLength(1);
  });
});

describe("with a limit of 100 keys and items", () => {
  it.each([
    ["a result of ctx.run", (ctx: Context) => ctx.run("effect", () => Array(101).fill(0)), 'run "effect"'],
    ["one value", (ctx: Context) => ctx.store.set("list", Array(101).fill(0)), "list"],
    [
      "an edit",
      (ctx: Context) => ctx.store.editState((state) => void (state["deep"] = { list: Array(101).fill(0) })),
      "deep",
    ],
  ])("%s of 101 is refused with its path, size and limit", async (_what, keep, path) => {
    onTestFinished(limited(valueLimits, { items: 100 }));
    const told: unknown[] = [];
    const flow = keeping(async (ctx) => {
      told.push(await rejection(keep(ctx)));
    });

    await flow.run();

    expect(told).toMatchObject([{ details: { path, unit: "keys and items", limit: 100 } }]);
    expect((told[0] as { details: { size: number } }).details.size).toBeGreaterThan(100);
  });

  it("the state is refused where it would be too large as a whole, and stays as it was", async () => {
    onTestFinished(limited(valueLimits, { items: 100 }));
    const told: unknown[] = [];
    const flow = keeping(async (ctx) => {
      await ctx.store.set("one", Array(60).fill(0));
      told.push(await rejection(ctx.store.set("two", Array(60).fill(0))));
      await ctx.store.set("one", 1);
      await ctx.store.set("two", Array(60).fill(0));
      told.push(Object.keys((await ctx.store.getState()) as object));
    });

    await flow.run();

    expect(told).toMatchObject([
      { code: "VALUE_UNSERIALIZABLE", details: { reason: "state", path: "two", size: 122, limit: 100 } },
      ["one", "two"],
    ]);
  });
});
