/** Snapshots: what they hold, and what becomes of those that cannot be used. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  Context,
  type ContextDict,
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  type RunContext,
  type SnapshotCodec,
  StartEvent,
  type StateOf,
  StopEvent,
  type Workflow,
  WorkflowError,
} from "../src/index.js";
import { waiting } from "./support/runs.js";

class Ask extends InputRequiredEvent.define("Ask", { order: z.string() }) {}
class Answer extends HumanResponseEvent.define("Answer", { yes: z.boolean() }) {}
class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}

const approval = (name = "approval") =>
  defineWorkflow(name, { state: { asked: z.number().default(0) } })
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
      await ctx.store.editState((state) => void state.asked++);
      const { yes } = await ctx.waitForEvent(Answer, { prompt: new Ask({ order: "A-17" }) });
      return new StopEvent({ result: [yes, await ctx.store.get("asked")] });
    })
    .build();

/** The snapshot of a run that waits for its answer, as JSON would bring it back. */
async function paused(): Promise<Record<string, unknown> & ContextDict> {
  const handler = approval().run();
  await waiting(handler);
  return JSON.parse(JSON.stringify(handler.context.toDict()));
}

/** The snapshot of a run in a new context, as if another process had loaded it. */
function reload<Flow extends Workflow>(workflow: Flow, context: { toDict(): ContextDict }): RunContext<StateOf<Flow>> {
  return Context.fromDict(workflow, JSON.parse(JSON.stringify(context.toDict())));
}

/** What `fromDict` throws. */
function refusal(dict: unknown, options = {}): WorkflowError {
  try {
    Context.fromDict(approval(), dict, options);
  } catch (error) {
    if (WorkflowError.is(error)) return error;
    throw error;
  }
  throw new Error("The snapshot was taken.");
}

describe("a snapshot", () => {
  it("is plain JSON, the same each time, and changes nothing", async () => {
    const handler = approval().run();
    await waiting(handler);

    const [first, second] = [handler.context.toDict(), handler.context.toDict()];

    expect(first).toStrictEqual(JSON.parse(JSON.stringify(first)));
    expect(second).toStrictEqual(first);
  });

  it("is a copy: what the run does next is not in it", async () => {
    const handler = approval().run();
    const { prompts } = await waiting(handler);
    const dict = handler.context.toDict();
    const text = JSON.stringify(dict);

    await handler.answer(prompts[0]!.promptId, { yes: true });

    expect(await handler).toEqual([true, 1]);
    expect(JSON.stringify(dict)).toBe(text);
  });

  it("goes on in several contexts, each on its own", async () => {
    const dict = await paused();
    const workflow = approval();

    const results = [true, false].map(async (yes) => {
      const handler = workflow.resume(Context.fromDict(workflow, dict));
      const { prompts } = await waiting(handler);
      await handler.answer(prompts[0]!.promptId, { yes });
      return handler;
    });

    expect(await Promise.all(results)).toEqual([
      [true, 1],
      [false, 1],
    ]);
  });

  it("keeps the id of its prompt", async () => {
    const handler = approval().run();
    const before = await waiting(handler);
    const workflow = approval();

    const after = await waiting(workflow.resume(reload(workflow, handler.context)));

    expect(after.prompts.map(({ promptId }) => promptId)).toEqual(before.prompts.map(({ promptId }) => promptId));
  });

  it("of a completed run holds its state and result, and cannot be resumed", async () => {
    const workflow = defineWorkflow("done", { state: { n: z.number().default(0) } })
      .step("only", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.store.set("n", 3);
        return new StopEvent({ result: 1 });
      })
      .build();
    const handler = workflow.run();
    await handler;

    const context = Context.fromDict(workflow, JSON.parse(JSON.stringify(handler.context.toDict())));

    expect(await context.store.get("n" as never)).toBe(3);
    expect(() => workflow.resume(context)).toThrow(expect.objectContaining({ code: "RUN_FINISHED" }));
  });

  it("does not grow with what the run has done", async () => {
    const workflow = defineWorkflow("loop")
      .step("begin", { on: StartEvent, emits: Item }, (ev) => new Item({ n: Number(ev.get("n")) }))
      .step("turn", { on: Item, emits: [Item, StopEvent], waits: Answer }, async ({ n }, ctx) => {
        if (n > 0) return new Item({ n: n - 1 });
        await ctx.waitForEvent(Answer);
        return new StopEvent({ result: "done" });
      })
      .build();

    const sizes = [];
    for (const n of [1, 1_000]) {
      const handler = workflow.run({ n });
      await waiting(handler);
      sizes.push(JSON.stringify(handler.context.toDict()).length);
    }

    expect(Math.abs(sizes[1]! - sizes[0]!)).toBeLessThan(20);
  });

  it("holds state as deep as a state may be", async () => {
    const open = defineWorkflow("open")
      .step("only", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 0 }))
      .build();
    const context = new Context(open);
    let deep: unknown = 1;
    for (let level = 0; level < 190; level++) deep = { deep };
    await context.store.set("deep" as never, deep as never);

    const loaded = Context.fromDict(open, JSON.parse(JSON.stringify(context.toDict())));

    expect(await loaded.store.getState()).toEqual({ deep });
  });

  it("holds fan-outs of many items", async () => {
    const count = 70_000;
    const workflow = defineWorkflow("many")
      .step("split", { on: StartEvent, emits: many(Item) }, () =>
        Array.from({ length: count }, (_, n) => new Item({ n })),
      )
      .step("work", { on: Item, emits: Done, waits: Answer, workers: 1 }, async ({ n }, ctx) => {
        if (n === 0) await ctx.waitForEvent(Answer);
        return new Done({ n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, (all) => new StopEvent({ result: all.length }))
      .build();
    const handler = workflow.run();
    const dict = await new Promise<ContextDict>((resolve) => {
      const stop = workflow.on("step.waiting", () => {
        stop();
        resolve(handler.context.toDict());
      });
    });

    const resumed = workflow.resume(Context.fromDict(workflow, JSON.parse(JSON.stringify(dict))));
    await waiting(resumed);
    await resumed.sendEvent(new Answer({ yes: true }));

    expect(await resumed).toBe(count);
  });
});

describe("a snapshot that cannot be used", () => {
  it.each([
    ["nothing", null, "SNAPSHOT_INVALID"],
    ["undefined", undefined, "SNAPSHOT_HOSTILE"],
    ["text", "{}", "SNAPSHOT_INVALID"],
    ["a list", [], "SNAPSHOT_INVALID"],
    ["an empty object", {}, "SNAPSHOT_INVALID"],
    ["the snapshot of another library", { version: 2, is_running: true, workers: {} }, "SNAPSHOT_INVALID"],
    ["only its format", { format: "millrace/run", version: 1 }, "SNAPSHOT_INVALID"],
  ])("is refused when it is %s", (_name, dict, code) => {
    expect(refusal(dict)).toMatchObject({ code, hint: expect.stringMatching(/\w/) });
  });

  it("is refused when it is newer, with both versions", async () => {
    const error = refusal({ ...(await paused()), version: 7 });

    expect(error).toMatchObject({
      code: "SNAPSHOT_NEWER",
      details: { version: 7, known: 1 },
      hint: expect.stringMatching(/\w/),
    });
  });

  it.each([0, -1, 1.5, "1", null])("is refused when its version is %j", async (version) => {
    expect(refusal({ ...(await paused()), version })).toMatchObject({ code: "SNAPSHOT_INVALID" });
  });

  it("is refused when it is of another workflow, naming both", async () => {
    const error = refusal({ ...(await paused()), workflow: "billing" });

    expect(error).toMatchObject({
      code: "SNAPSHOT_MISMATCH",
      details: { reason: "workflow", workflow: "billing", expected: "approval" },
    });
  });

  it("is refused when a step of it is gone, naming the step", async () => {
    const dict = JSON.parse(JSON.stringify(await paused()).replaceAll('"ask"', '"inquire"'));

    expect(refusal(dict)).toMatchObject({ code: "SNAPSHOT_MISMATCH", message: expect.stringContaining('"inquire"') });
  });

  it("is refused when an event of it is gone, naming the event", async () => {
    const dict = JSON.parse(JSON.stringify(await paused()).replaceAll('"Ask"', '"Inquiry"'));

    expect(refusal(dict)).toMatchObject({ code: "EVENT_UNKNOWN", message: expect.stringContaining("Inquiry") });
  });

  it("is refused when the step no longer takes the event that it has", async () => {
    const dict = JSON.parse(
      JSON.stringify(await paused())
        .replaceAll('"StartEvent"', '"Ask"')
        .replaceAll('"data":{}', '"data":{"order":"A"}'),
    );

    expect(refusal(dict)).toMatchObject({ code: "SNAPSHOT_MISMATCH", message: expect.stringContaining('"ask"') });
  });

  it("is refused when its state does not fit the schema, naming the field", async () => {
    const dict = { ...(await paused()), store: { json: { asked: "often" } } };

    expect(refusal(dict)).toMatchObject({ code: "STATE_INVALID", message: expect.stringContaining("asked") });
  });

  it("is refused when an event of it does not fit its schema, naming the field", async () => {
    const dict = JSON.parse(JSON.stringify(await paused()).replace('"order":"A-17"', '"order":17'));

    expect(refusal(dict)).toMatchObject({ code: "EVENT_INVALID", message: expect.stringContaining("order") });
  });

  it.each(["runId", "status", "ticks", "atMs", "startedAtMs", "activeMs", "nextId", "streamed", "store"])(
    "is refused without its %s, which is named",
    async (name) => {
      const { [name]: _lost, ...dict } = await paused();

      expect(refusal(dict)).toMatchObject({ code: "SNAPSHOT_INVALID", message: expect.stringContaining(name) });
    },
  );

  it("is refused with every problem and its path", async () => {
    const { runId: _, ...dict } = JSON.parse(JSON.stringify(await paused()));
    dict.atMs = "now";
    dict.items[0].attempt = -1;
    dict.items[0].input.kind = "dream";

    expect(refusal(dict)).toMatchObject({
      code: "SNAPSHOT_INVALID",
      details: {
        path: "snapshot.runId",
        problems: [
          "snapshot.runId is missing, not a string",
          'snapshot.atMs is "now", not a time',
          'snapshot.items.0.input.kind is "dream", not one of event, batch, settled, set',
          "snapshot.items.0.attempt is -1, not a count",
        ],
      },
    });
  });

  it("takes a field that the state got since, with its default", async () => {
    const dict = { ...(await paused()), store: { json: {} } };

    const context = Context.fromDict(approval(), dict);

    expect(await context.store.get("asked")).toBe(0);
  });
});

describe("the migrate hook", () => {
  it("gives the snapshot to use", async () => {
    const dict = JSON.parse(JSON.stringify(await paused()).replaceAll('"ask"', '"inquire"')) as ContextDict;
    const workflow = approval();

    const context = Context.fromDict(workflow, dict, {
      migrate: (old) => JSON.parse(JSON.stringify(old).replaceAll('"inquire"', '"ask"')),
    });
    const handler = workflow.resume(context);
    const { prompts } = await waiting(handler);
    await handler.answer(prompts[0]!.promptId, { yes: true });

    expect(await handler).toEqual([true, 1]);
  });

  it("is checked like any snapshot", async () => {
    const dict = await paused();

    expect(refusal(dict, { migrate: () => null })).toMatchObject({ code: "SNAPSHOT_INVALID" });
    expect(
      refusal(dict, { migrate: (old: ContextDict) => ({ ...old, store: { json: JSON.parse('{"__proto__":{}}') } }) }),
    ).toMatchObject({ code: "SNAPSHOT_HOSTILE" });
  });
});

describe("the codec hook", () => {
  const reversed: SnapshotCodec = {
    name: "reversed",
    encode: (json) => [...json].reverse().join(""),
    decode: (text) => [...text].reverse().join(""),
  };

  it("hides the snapshot, and brings it back", async () => {
    const handler = approval().run();
    await waiting(handler);
    const workflow = approval();

    const dict = handler.context.toDict({ codec: reversed });
    const { prompts } = await waiting(
      workflow.resume(Context.fromDict(workflow, JSON.parse(JSON.stringify(dict)), { codec: reversed })),
    );

    expect(JSON.stringify(dict)).not.toContain("A-17");
    expect(prompts).toHaveLength(1);
  });

  it("has to be the one that wrote it", async () => {
    const handler = approval().run();
    await waiting(handler);
    const dict = handler.context.toDict({ codec: reversed });

    expect(refusal(dict)).toMatchObject({ code: "SNAPSHOT_INVALID", message: expect.stringContaining("reversed") });
    expect(refusal(dict, { codec: { ...reversed, name: "gzip" } })).toMatchObject({
      code: "SNAPSHOT_INVALID",
      message: expect.stringContaining("gzip"),
    });
  });

  it("that cannot read it is told so, and what it reads is checked", async () => {
    const handler = approval().run();
    await waiting(handler);
    const dict = handler.context.toDict({ codec: reversed });
    const giving = (text: string): SnapshotCodec => ({ ...reversed, decode: () => text });

    expect(refusal({ ...dict, data: "}{" }, { codec: reversed })).toMatchObject({ code: "SNAPSHOT_INVALID" });
    expect(refusal(dict, { codec: giving('{"__proto__":{}}') })).toMatchObject({ code: "SNAPSHOT_HOSTILE" });
    expect(
      refusal(dict, {
        codec: {
          ...reversed,
          decode: () => {
            throw new Error("wrong key");
          },
        },
      }),
    ).toMatchObject({ code: "SNAPSHOT_INVALID", message: expect.stringContaining("wrong key") });
  });
});
