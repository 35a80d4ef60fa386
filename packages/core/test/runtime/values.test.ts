/** What runs can keep, and what they are told of the rest. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Context,
  defineWorkflow,
  ExternalEvent,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  type WorkflowError,
} from "../../src/index.js";
import { historyOf, Machine } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { refusal } from "../support/stored.js";
import { settle } from "../support/virtual-clock.js";

class Foreign {
  readonly secret = 1;
}

class Any extends event("Any", { value: z.any() }) {}
class Put extends ExternalEvent.define("Put", { value: z.any() }) {}
class Ask extends InputRequiredEvent.define("Ask", { value: z.any() }) {}
class Answer extends HumanResponseEvent.define("Answer", { value: z.any() }) {}

const codeOf = (error: unknown): string => (error as WorkflowError).code;

/** A step that tries something and says what it was told. */
function tries(attempt: Attempt) {
  const flow = defineWorkflow("tries", { state: { edits: z.number().default(0), any: z.unknown() } })
    .step("try", { on: StartEvent, emits: [Any, StopEvent], streams: [Any, Ask], waits: Answer }, async (_ev, ctx) => {
      const told = await Promise.resolve()
        .then(() => attempt(ctx))
        .then(() => "taken", codeOf);
      return new StopEvent({ result: [told, await ctx.store.get("edits")] });
    })
    .step("any", { on: Any }, () => {})
    .build();
  return { flow };
}

type Attempt = (ctx: Context<{ edits: number; any?: unknown }>) => unknown;

describe("a step that would keep what cannot be stored", () => {
  it.each([
    ["in the result of ctx.run", "VALUE_UNSERIALIZABLE", (ctx) => ctx.run("effect", () => new Foreign())],
    [
      "in an event that it sends",
      "VALUE_UNSERIALIZABLE",
      (ctx) => ctx.sendEvent(new Any({ value: new Foreign() }), { immediate: true }),
    ],
    ["in an event that it shows", "VALUE_UNSERIALIZABLE", (ctx) => ctx.writeEventToStream(new Any({ value: () => 1 }))],
    [
      "in a prompt",
      "VALUE_UNSERIALIZABLE",
      (ctx) => ctx.waitForEvent(Answer, { prompt: new Ask({ value: new Foreign() }) }),
    ],
    ["in its state", "VALUE_UNSERIALIZABLE", (ctx) => ctx.store.set("any", new Foreign())],
    [
      "in an edit of its state",
      "VALUE_UNSERIALIZABLE",
      (ctx) =>
        ctx.store.editState((draft) => {
          draft.edits = 99;
          draft.any = new Foreign();
        }),
    ],
    [
      "in the answer of an edit",
      "VALUE_UNSERIALIZABLE",
      (ctx) =>
        ctx.store.editState((draft) => {
          draft.edits = 99;
          return new Foreign();
        }),
    ],
  ] as [string, string, Attempt][])(
    "%s is told %s, can go on, and nothing of it was done",
    async (_what, code, attempt) => {
      const machine = new Machine();
      const { runtime } = machine.open(tries(attempt));
      const run = runtime.run("flow", {}, { runId: "one" });

      expect(await run).toEqual([code, 0]);
      await settle();
      const types = (await historyOf(runtime as never, "one")).map(({ tick }) => tick.type);
      expect(
        types.filter((type) => !["run.started", "step.completed", "call.awaited", "effect.failed"].includes(type)),
      ).toEqual([]);
    },
  );

  it("in what it returns fails with the place", async () => {
    const flow = defineWorkflow("returns")
      .step("start", { on: StartEvent, emits: Any }, () => new Any({ value: { deep: [new Foreign()] } }))
      .step("end", { on: Any, emits: StopEvent }, () => new StopEvent())
      .build();
    const error = await rejection(new Machine().open({ flow }).runtime.run("flow", {}));

    expect(error.code).toBe("VALUE_UNSERIALIZABLE");
    expect(error.message).toContain("deep");
  });

  it("in the result of the run fails the run", async () => {
    const flow = defineWorkflow("results")
      .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: new Foreign() }))
      .build();

    expect((await rejection(new Machine().open({ flow }).runtime.run("flow", {}))).code).toBe("VALUE_UNSERIALIZABLE");
  });
});

describe("a caller that would send what cannot be stored", () => {
  function puts() {
    return defineWorkflow("puts")
      .step("start", { on: StartEvent }, () => {})
      .step("put", { on: Put, emits: StopEvent }, ({ value }) => new StopEvent({ result: value }))
      .build();
  }

  it("is told at once, here, in another process, and with a key; the run goes on", async () => {
    const machine = new Machine();
    const run = machine.open({ flow: puts() }).runtime.run("flow", {}, { runId: "one" });
    await run.idle();
    const there = machine.open({ flow: puts() }).runtime.handle("one");
    const bad = new Put({ value: new Foreign() });
    const codes = [
      run.sendEvent(bad),
      run.sendEvent(bad, { key: "k" }),
      there.sendEvent(bad),
      there.cancel(new Foreign()),
    ];

    expect(await Promise.all(codes.map(async (sent) => (await rejection(sent)).code))).toEqual(
      codes.map(() => "VALUE_UNSERIALIZABLE"),
    );
    await run.sendEvent(new Put({ value: 5 }));
    expect(await run).toBe(5);
  });

  it("is told when it starts a run with it, and nothing is stored", async () => {
    const { runtime } = new Machine().open({ flow: puts() });

    expect(refusal(() => runtime.run("flow", { value: new Foreign() } as never)).code).toBe("VALUE_UNSERIALIZABLE");
    await settle();
    expect((await runtime.runs()).runs).toEqual([]);
  });
});

describe("a large value", () => {
  const text = "abcdefghij".repeat(30_000);
  class One extends event("One", { value: z.any() }) {}
  class Two extends event("Two", { value: z.any() }) {}
  class Three extends event("Three", { value: z.any() }) {}
  class Four extends event("Four", { value: z.any() }) {}

  /** The value goes through every class in turn. */
  function passes() {
    return defineWorkflow("passes")
      .step("start", { on: StartEvent }, () => {})
      .step("put", { on: Put, emits: One }, ({ value }) => new One({ value }))
      .step("one", { on: One, emits: Two }, ({ value }) => new Two({ value }))
      .step("two", { on: Two, emits: Three }, ({ value }) => new Three({ value }))
      .step("three", { on: Three, emits: Four }, ({ value }) => new Four({ value }))
      .step("four", { on: Four, emits: StopEvent }, ({ value }) => new StopEvent({ result: value }))
      .build();
  }

  it("that passes through many events is stored about once, and comes back as it was", async () => {
    const machine = new Machine();
    const run = machine.open({ flow: passes() }).runtime.run("flow", {}, { runId: "one" });
    await run.sendEvent(new Put({ value: { text, n: 1 } }));
    await run;
    await settle();

    const key = { tenant: "", runId: "one" };
    const ticks = await machine.store.ticks(key, { after: 0, limit: 1_000 });
    const size = ticks.reduce((sum, batch) => sum + batch.text.length, 0);
    expect(size).toBeLessThan(20_000);
    const hashes = new Set(
      ticks.flatMap((batch) => [...batch.text.matchAll(/"\$blob":"([^"]+)"/g)].map(([, hash]) => hash)),
    );
    expect(hashes.size).toBe(1);
    expect(await machine.store.blob([...hashes][0] ?? "")).toBe(JSON.stringify(text));
    const { runtime } = machine.open({ flow: passes() });
    expect(await runtime.handle("one")).toEqual({ text, n: 1 });
    const entries = await historyOf(runtime as never, "one");
    const put = entries.find(({ tick }) => tick.type === "event.received")?.tick as unknown as { event: Put };
    expect(put.event.value).toEqual({ text, n: 1 });
  });

  it.each([
    ["$blob", { $blob: "m1_", text }],
    ["$plain", { $plain: { $blob: "none" }, text }],
    ["both, nested", { deep: [{ $plain: null, $blob: [text] }, { $blob: text }] }],
    ["neither, and a null", { $blobs: null, none: null, text }],
  ])("with the keys %s comes back as it was, also after a crash", async (_what, value) => {
    const flow = () =>
      defineWorkflow("keeps", { state: { kept: z.any().optional() } })
        .step("start", { on: StartEvent }, () => {})
        .step("put", { on: Put, emits: StopEvent, waits: Answer }, async (put, ctx) => {
          await ctx.store.set("kept", put.value);
          await ctx.waitForEvent(Answer);
          return new StopEvent({ result: [put.value, await ctx.store.get("kept")] });
        })
        .build();
    const machine = new Machine();
    const dying = machine.open({ flow: flow() }, { snapshotEvery: 2 });
    await dying.runtime.run("flow", {}, { runId: "one" }).sendEvent(new Put({ value }));
    await dying.runtime.handle("one").idle();
    await settle();
    dying.kill();
    await machine.clock.advance(60_000);
    const handle = machine.open({ flow: flow() }).runtime.handle("one");
    await handle.sendEvent(new Answer({ value: 1 }));

    expect(await handle).toEqual([value, value]);
  });

  it("is gone from the store with the last run that has it", async () => {
    const machine = new Machine();
    const { runtime } = machine.open({ flow: passes() });
    for (const runId of ["one", "two"]) {
      const run = runtime.run("flow", {}, { runId });
      await run.sendEvent(new Put({ value: text }));
      await run;
    }
    await settle();
    const hash = machine.store.hash(JSON.stringify(text));
    await runtime.delete("one");
    expect(await machine.store.blob(hash)).not.toBeNull();
    await runtime.delete("two");

    expect(await machine.store.blob(hash)).toBeNull();
  });
});
