/** Runs that are found by what of their input the workflow indexes. */
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { memoryStore, type RuntimeRunOptions } from "../../src/entries/runtime.js";
import { defineWorkflow, type IndexValue, StartEvent, StopEvent, step, Workflow } from "../../src/index.js";
import { Machine, withMethods } from "../support/processes.js";

class Order extends StartEvent.define("Order", {
  order: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional(),
  tags: z.array(z.string()).default([]),
}) {}

class Refund extends Workflow {
  static override readonly index = {
    order: (input: Order) => input.order,
    tag: (input: Order) => input.tags,
    kind: ({ order }: Order) => (order === undefined ? undefined : typeof order),
  };
  @step({ on: Order, emits: StopEvent }) begin() {
    return new StopEvent({ result: "done" });
  }
}

const built = (read: (input: Order) => IndexValue) =>
  defineWorkflow("refund", { index: { order: read } })
    .step("begin", { on: Order, emits: StopEvent }, () => new StopEvent({ result: "done" }))
    .build();

type Input = ConstructorParameters<typeof Order>[0];

function open(flow: Workflow = new Refund()) {
  const machine = new Machine();
  const { runtime } = machine.open({ refund: flow });
  const start = (runId: string, input: Input, options: RuntimeRunOptions = {}) =>
    runtime.run("refund", input, { ...options, runId }).idle();
  const found = async (input: Record<string, string | number | boolean | null>, tenant = "") =>
    (await runtime.runs({ input, tenant })).runs.map(({ runId }) => runId).sort();
  return { machine, runtime, start, found };
}

describe("a run of a workflow with an index", () => {
  it("is found by a text, a number, a boolean, null, and each text of a list", async () => {
    const { start, found } = open();
    await start("text", { order: "A-7", tags: ["red", "blue", "red"] });
    await start("number", { order: 7 });
    await start("zero", { order: -0 });
    await start("boolean", { order: true });
    await start("null", { order: null });
    await start("none", {});

    expect(await found({ order: "A-7" })).toEqual(["text"]);
    expect(await found({ tag: "red" })).toEqual(["text"]);
    expect(await found({ tag: "blue", order: "A-7" })).toEqual(["text"]);
    expect(await found({ order: 7 })).toEqual(["number"]);
    expect(await found({ order: "7" })).toEqual(["number"]);
    expect(await found({ order: 0 })).toEqual(["zero"]);
    expect(await found({ order: true })).toEqual(["boolean"]);
    expect(await found({ order: null })).toEqual(["null"]);
    expect(await found({ order: "undefined" })).toEqual([]);
    expect(await found({ kind: "number" })).toEqual(["number", "zero"]);
    expect(await found({ unknown: "A-7" })).toEqual([]);
  });

  it("is found in its tenant only", async () => {
    const { start, found } = open();
    await start("a", { order: "A-7" }, { tenant: "acme" });
    expect(await found({ order: "A-7" })).toEqual([]);
    expect(await found({ order: "A-7" }, "acme")).toEqual(["a"]);
  });

  it("is found as it started: later, for schedules, with a key, and as a fork", async () => {
    const { machine, runtime, start, found } = open();
    await start("first", { order: "A-7" });
    await runtime.run("refund", { order: "A-7" }, { runId: "later", startAt: machine.clock.now() + 1e6 }).accepted;
    await runtime.run("refund", { order: "A-7" }, { dedupe: { key: "k", for: "1h" } }).accepted;
    await runtime.fork("first", { at: 1, runId: "fork" }).idle();
    expect(await found({ order: "A-7" })).toContain("fork");
    await runtime.schedules.set("daily", { cron: "@daily", workflow: "refund", input: { order: "A-9" } });
    expect(await found({ order: "A-7" })).toHaveLength(4);
    await runtime.start();
    await machine.clock.advance(24 * 3_600_000);
    expect(await found({ order: "A-9" })).toHaveLength(1);
  });

  it("is not found once it is deleted", async () => {
    const { runtime, start, found } = open();
    await start("a", { order: "A-7" });
    await runtime.delete("a");
    expect(await found({ order: "A-7" })).toEqual([]);
  });

  it("is found where it moves to, by the index that the workflow has there", async () => {
    const { runtime, start, found } = open(built(() => "old"));
    await start("a", { order: "A-7" });
    expect(await found({ order: "old" })).toEqual(["a"]);
    const there = open();
    await there.runtime.import(runtime.export("a"));
    expect(await there.found({ order: "A-7" })).toEqual(["a"]);
    expect(await there.found({ order: "old" })).toEqual([]);
  });

  it("moves also where its index fails, and says so", async () => {
    const { runtime, start } = open();
    await start("a", { order: "A-7" });
    const machine = new Machine();
    const failing = built(() => {
      throw new Error("It fails.");
    });
    const { runtime: there, log } = machine.open({ refund: failing });
    await there.import(runtime.export("a"));
    expect(await there.handle("a").summary()).toMatchObject({ status: "completed" });
    expect(log.lines.join()).toContain("It fails.");
  });

  it("keeps its result, and is not started again under the same id", async () => {
    const { runtime } = open();
    expect(await runtime.run("refund", { order: "A-7" }, { runId: "a" })).toBe("done");
    expect(await runtime.run("refund", { order: "A-7" }, { runId: "a" })).toBe("done");
  });

  it("has a type that takes any input", () => {
    expectTypeOf<typeof Refund.index.order>().parameter(0).toEqualTypeOf<Order>();
    // @ts-expect-error: a Date is no value of an index
    defineWorkflow("wrong", { index: { at: () => new Date() } });
  });
});

// holunda-io/camunda-bpm-taskpool#1015, SparkDevNetwork/Rock#1249, Shuffle/Shuffle#112: a value that is too long must not stop other runs.
describe("a start whose index cannot be stored", () => {
  const wrong: readonly (readonly [string, (input: Order) => unknown])[] = [
    ["an object", () => ({})],
    ["a Date", () => new Date()],
    ["NaN", () => Number.NaN],
    ["a bigint", () => 7n],
    ["a promise", async () => "A-7"],
    ["a list of numbers", () => [7]],
    ["a long text", () => "ü".repeat(128)],
    ["U+0000", () => "a\0b"],
    ["half of a surrogate pair", () => "\ud800"],
    ["21 values", () => Array.from({ length: 21 }, (_, index) => `${index}`)],
  ];
  it.each(wrong)("is refused: %s", async (_what, read) => {
    const { runtime } = open(built(read as never));
    const start = () => runtime.run("refund", { order: "A-7" }, { runId: "a" });
    expect(start).toThrow(
      expect.objectContaining({ code: "EVENT_INVALID", message: expect.stringContaining("index.order") }),
    );
    expect((await runtime.runs()).runs).toEqual([]);
  });

  it("is refused with what the function threw as its cause", () => {
    const { runtime } = open(built(({ tags }) => (tags as unknown as { deep: { er: string } }).deep.er));
    expect(() => runtime.run("refund", {})).toThrow(
      expect.objectContaining({ code: "EVENT_INVALID", cause: expect.any(TypeError) }),
    );
  });

  it("does not stop the starts beside it", async () => {
    const { runtime, found } = open(built(({ order }) => String(order).repeat(order === "long" ? 100 : 1)));
    const starts = ["A-1", "long", "A-2"].map((order) => {
      try {
        return runtime.run("refund", { order }).accepted;
      } catch (error) {
        return Promise.reject(error);
      }
    });
    expect((await Promise.allSettled(starts)).map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(await found({ order: "A-2" })).toHaveLength(1);
  });

  it("stores texts of 255 bytes and 20 values", async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `${index}`.padStart(255, "x"));
    const { start, found } = open(built(() => texts));
    await start("a", {});
    expect(await found({ order: texts[19] as string })).toEqual(["a"]);
  });
});

describe("an index that is wrong", () => {
  const wrong: readonly (readonly [string, unknown])[] = [
    ["no object", 7],
    ["a list", [() => 1]],
    ["null", null],
    ["no function", { order: "order" }],
    ["a bad name", { "a b": () => 1 }],
    ["a forbidden name", { ["__proto__"]: () => 1 }],
    ["11 names", Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`n${index}`, () => 1]))],
  ];
  it.each(wrong)("is refused with its workflow: %s", (_what, index) => {
    class Wrong extends Refund {
      static override readonly index = index as never;
    }
    expect(() => new Machine().open({ refund: new Wrong() })).toThrow(
      expect.objectContaining({ code: "WORKFLOW_INVALID" }),
    );
  });
});

describe("runs({ input })", () => {
  it.each([[7], [{ order: {} }], [{ order: undefined }], [{ order: ["A"] }], [{ order: Number.NaN }]])(
    "%j is refused",
    async (input) => {
      const { runtime } = open();
      await expect(runtime.runs({ input: input as never })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    },
  );

  it("asks the store once, by its index", async () => {
    const asked: unknown[] = [];
    const inner = memoryStore();
    const machine = new Machine(
      withMethods(inner, {
        list: async (query) => {
          asked.push(query.index);
          return inner.list(query);
        },
      }),
    );
    const { runtime } = machine.open({ refund: new Refund() });
    await runtime.runs({ input: { order: 7 } });
    expect(asked).toEqual([{ order: "7" }]);
  });
});
