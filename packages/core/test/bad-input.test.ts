/** What goes wrong by the user's hand: a `WorkflowError` or a refusal with a code and a hint, and nothing half-applied. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { toMermaid, traceRuns } from "../src/entries/graph.js";
import {
  Context,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  StartEvent,
  StopEvent,
  step,
  Workflow,
  type WorkflowError,
  type WorkflowEvent,
  wait,
} from "../src/index.js";
import { rejection, waiting } from "./support/runs.js";

class Order extends StartEvent.define("Order", { item: z.string(), count: z.number().int().positive() }) {}
class Item extends event("Item", { n: z.number() }) {}
class Other extends event("Other", { n: z.number() }) {}
class Ask extends InputRequiredEvent.define("Ask") {}
class Answer extends HumanResponseEvent.define("Answer", { yes: z.boolean() }) {}
class Unrelated extends HumanResponseEvent.define("Unrelated") {}

const shop = () =>
  defineWorkflow("shop", { state: { bought: z.number().default(0) } })
    .step("buy", { on: Order, emits: StopEvent, waits: Answer, streams: Ask }, async (order, ctx) => {
      const { yes } = await ctx.waitForEvent(Answer, { prompt: new Ask() });
      if (yes) await ctx.store.editState((state) => void (state.bought += order.count));
      return new StopEvent({ result: await ctx.store.get("bought") });
    })
    .build();

const withHint = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message), hint: expect.stringMatching(/\w/) });

/** Runs a function as the only step of a workflow, and gives what it throws. */
async function failureOf(run: (ctx: Context) => unknown): Promise<unknown> {
  class Only extends Workflow {
    @step({ on: StartEvent, emits: [StopEvent, Item, many(Item)], waits: Answer, skipChecks: ["deadEnd"] })
    async only(_ev: StartEvent, ctx: Context): Promise<StopEvent | Item> {
      return (await run(ctx)) as StopEvent;
    }
    @step({ on: Item, emits: StopEvent, waits: Answer })
    async taken(_ev: Item) {
      return new StopEvent({ result: "taken" });
    }
  }
  return rejection(new Only().run());
}

describe("wrong event data", () => {
  it("is refused where the event is made, naming event and path", () => {
    expect(() => new Item({ n: "one" as never })).toThrow(withHint("EVENT_INVALID", /Item.*n/));
  });

  it("is refused by `run`, and no run is begun", () => {
    const begun: unknown[] = [];
    const workflow = shop();
    workflow.on("run.started", (facts) => begun.push(facts));

    expect(() => workflow.run({ item: "tea", count: -1 })).toThrow(withHint("EVENT_INVALID", /Order.*count/));
    expect(begun).toEqual([]);
  });

  it("is refused by `answer`, and the prompt stays open", async () => {
    const handler = shop().run({ item: "tea", count: 2 });
    const { prompts } = await waiting(handler);
    const promptId = prompts[0]!.promptId;

    expect(await rejection(handler.answer(promptId, { yes: "perhaps" }))).toEqual(
      withHint("EVENT_INVALID", /Answer.*yes/),
    );
    expect((await waiting(handler)).prompts).toHaveLength(1);
    expect(await handler.answer(promptId, { yes: true })).toMatchObject({ status: "accepted" });
    expect(await handler).toBe(2);
  });
});

describe("events that a step does not declare", () => {
  it("fail it when returned, naming step and event", async () => {
    expect(await failureOf(() => new Other({ n: 1 }))).toEqual(withHint("EVENT_UNDECLARED", /"only".*Other/));
  });

  it("fail it when one of a batch, and nothing of the batch is delivered", async () => {
    expect(await failureOf(() => [new Item({ n: 1 }), new Other({ n: 2 })])).toEqual(
      withHint("EVENT_UNDECLARED", /"only".*Other/),
    );
  });

  it("cannot be sent, streamed or waited for", async () => {
    expect(await failureOf((ctx) => ctx.sendEvent(new Other({ n: 1 })))).toEqual(withHint("EVENT_UNDECLARED", /Other/));
    expect(await failureOf((ctx) => ctx.writeEventToStream(new Other({ n: 1 })))).toEqual(
      withHint("EVENT_UNDECLARED", /Other/),
    );
    expect(await failureOf((ctx) => ctx.waitForEvent(Unrelated))).toEqual(withHint("EVENT_UNDECLARED", /Unrelated/));
  });

  it.each([
    ["text", "done"],
    ["a number", 1],
    ["an object", { result: 1 }],
    ["an event class", Item],
    ["a list with a hole", [undefined]],
  ])("are not %s", async (_name, value) => {
    expect(await failureOf(() => value)).toEqual(withHint("STEP_RESULT_INVALID", /"only"/));
  });
});

describe("sending", () => {
  it("to a step that does not exist fails, with the nearest name", async () => {
    const error = await failureOf((ctx) => ctx.sendEvent(new Item({ n: 1 }), { step: "takne" }));

    expect(error).toEqual(withHint("STEP_UNKNOWN", /takne/));
    expect((error as WorkflowError).hint).toContain("taken");
  });

  it("to a step that does not take it fails", async () => {
    expect(await failureOf((ctx) => ctx.sendEvent(new Item({ n: 1 }), { step: "only" }))).toEqual(
      withHint("EVENT_NOT_ACCEPTED", /"only".*Item/),
    );
  });

  it("a stop event fails", async () => {
    expect(await failureOf((ctx) => ctx.sendEvent(new StopEvent({ result: 1 }) as never))).toEqual(
      withHint("EVENT_NOT_SENDABLE", /StopEvent/),
    );
  });

  it("nothing that is an event fails", async () => {
    expect(await failureOf((ctx) => ctx.sendEvent({ type: "Item", n: 1 } as never))).toEqual(
      withHint("EVENT_NOT_SENDABLE", /not an event/),
    );
    const handler = shop().run({ item: "tea", count: 1 });
    expect(await rejection((async () => handler.sendEvent({ type: "Answer", yes: true } as never))())).toEqual(
      withHint("EVENT_NOT_SENDABLE", /not an event/),
    );
    await handler.cancel();
  });

  it.each<[string, WorkflowEvent, string | undefined, string]>([
    ["an event that nobody takes", new Item({ n: 1 }), undefined, "EVENT_NOT_ACCEPTED"],
    ["an event to an unknown step", new Answer({ yes: true }), "sell", "STEP_UNKNOWN"],
    ["an event of another workflow", new Unrelated(), undefined, "EVENT_NOT_ACCEPTED"],
  ])("%s from outside is refused, and changes nothing", async (_name, sent, to, code) => {
    const handler = shop().run({ item: "tea", count: 1 });
    await waiting(handler);
    const before = handler.context.toDict();

    const receipt = await handler.sendEvent(sent as never, to === undefined ? {} : { step: to });

    expect(receipt).toMatchObject({ status: "refused", code, hint: expect.stringMatching(/\w/) });
    expect(withoutTicks(handler.context.toDict())).toEqual(withoutTicks(before));
    await handler.cancel();
  });

  it("to a run that has ended is refused", async () => {
    const handler = shop().run({ item: "tea", count: 1 });
    const { prompts } = await waiting(handler);
    await handler.answer(prompts[0]!.promptId, { yes: false });
    await handler;

    expect(await handler.sendEvent(new Answer({ yes: true }))).toMatchObject({
      status: "refused",
      code: "RUN_FINISHED",
    });
    expect(await handler.answer(prompts[0]!.promptId, { yes: true })).toMatchObject({
      status: "refused",
      code: "PROMPT_CLOSED",
    });
    expect(await handler).toBe(0);
  });

  it("a second answer to a prompt is refused", async () => {
    const handler = shop().run({ item: "tea", count: 3 });
    const { prompts } = await waiting(handler);
    const click = () => handler.answer(prompts[0]!.promptId, { yes: true });

    const receipts = await Promise.all([click(), click()]);

    expect(receipts.map(({ status }) => status)).toEqual(["accepted", "refused"]);
    expect(receipts[1]).toMatchObject({ code: expect.stringMatching(/PROMPT_CLOSED|RUN_FINISHED/) });
    expect(await handler).toBe(3);
  });
});

/** Of a snapshot, all but how many ticks it took. */
function withoutTicks({ ticks, atMs, activeMs, ...rest }: Record<string, unknown>): object {
  return rest;
}

describe("a writer inside `editState`", () => {
  it.each<[string, (ctx: Context) => unknown]>([
    ["set", (ctx) => ctx.store.set("b", 2)],
    ["editState", (ctx) => ctx.store.editState((state) => void (state["b"] = 2))],
    ["waitForEvent", (ctx) => ctx.waitForEvent(Answer)],
    ["run", (ctx) => ctx.run("effect", () => 1)],
    ["sleep", (ctx) => ctx.sleep(1)],
  ])("is refused: %s, and nothing of the edit is kept", async (_name, inside) => {
    let after: unknown = "not read";

    const error = await failureOf(async (ctx) => {
      try {
        await ctx.store.editState(async (state) => {
          state["a"] = 1;
          await inside(ctx);
        });
      } finally {
        after = await ctx.store.getState();
      }
    });

    expect(error).toEqual(withHint("STATE_LOCKED", /editState/));
    expect(after).toEqual({});
  });
});

describe("a context in the wrong place", () => {
  it("of another workflow is refused", () => {
    const other = defineWorkflow("other")
      .step("only", { on: Order, emits: StopEvent }, () => new StopEvent({ result: 1 }))
      .build();

    expect(() => shop().run({ item: "tea", count: 1 }, { context: new Context(other) as never })).toThrow(
      withHint("SNAPSHOT_MISMATCH", /other/),
    );
  });

  it("that has not run cannot be resumed or retried", () => {
    const workflow = shop();

    expect(() => workflow.resume(new Context(workflow))).toThrow(withHint("OPTION_INVALID", /not run/));
    expect(() => workflow.retry(new Context(workflow))).toThrow(withHint("OPTION_INVALID", /not run/));
  });

  it("whose run is under way is refused", async () => {
    const workflow = shop();
    const handler = workflow.run({ item: "tea", count: 1 });

    expect(() => workflow.resume(handler.context)).toThrow(withHint("RUN_LIVE", /under way/));
    await handler.cancel();
  });
});

describe("a value of the wrong kind", () => {
  const flow = (options: object, covered?: readonly unknown[]) => {
    const built = defineWorkflow("flow").step("only", { on: Order, emits: StopEvent, ...options }, () => {
      return new StopEvent({ result: 1 });
    });
    const steps = { steps: covered as never, emits: StopEvent };
    return (
      covered === undefined ? built : built.catchError("rescue", steps, () => new StopEvent({ result: 2 }))
    ).build();
  };
  const tea = { item: "tea", count: 1 };

  it.each<[string, (value: never) => unknown]>([
    ["the type of an event", (value) => event(value)],
    ["a time limit", (timeout) => shop().run(tea, { timeout })],
    ["a deadline", (deadline) => shop().run(tea, { deadline })],
    ["a number of workers", (workers) => flow({ workers }).run(tea)],
    ["the type of a subclass", (type) => Item.extend(type)],
    ["a check to skip", (check) => flow({ skipChecks: [check] }).run(tea)],
    ["a step that a handler covers", (step) => flow({}, [step]).run(tea)],
    ["a wait of a retry", (delay) => wait.fixed(delay)],
  ])("is told in a few words: %s", (_, use) => {
    for (const value of [{}, Object.create(null), new Map()])
      expect(() => use(value as never)).toThrow(
        expect.objectContaining({ message: expect.stringContaining("an object") }),
      );
  });

  it.each<[string, (ctx: Context, value: never) => unknown]>([
    ["what is sent", (ctx, value) => ctx.sendEvent(value)],
    ["the step that it is sent to", (ctx, value) => ctx.sendEvent(new Item({ n: 1 }), { step: value })],
    ["a time to sleep", (ctx, value) => ctx.sleep(value)],
    ["what is waited for", (ctx, value) => ctx.waitForEvent(value)],
    ["a child", (ctx, value) => ctx.runChild(value, {} as never)],
    ["a path", (ctx, value) => ctx.store.get(value)],
  ])("is told in a few words by the step that gives it: %s", async (_, use) => {
    for (const value of [{}, Object.create(null), new Map()])
      expect(await failureOf((ctx) => use(ctx, value as never))).toEqual(withHint(expect.any(String), /an object/));
  });

  it("given as the signal of a run leaves nothing behind, and null is none", async () => {
    const workflow = flow({});
    const context = new Context(workflow);
    const options = { context, runId: "tea-1" };

    expect(() => workflow.run(tea, { ...options, signal: {} as never })).toThrow(withHint("OPTION_INVALID", /signal/));
    expect(await workflow.run(tea, { ...options, signal: null as never })).toBe(1);
  });

  it.each([[5], [""], [{}], [true]])("is no id of a run, which its snapshot could not hold: %j", (runId) => {
    expect(() => flow({}).run(tea, { runId: runId as never })).toThrow(withHint("OPTION_INVALID", /`runId`/));
  });

  it.each<[string, (workflow: ReturnType<typeof shop>, value: never) => unknown]>([
    ["a listener", (workflow, listener) => workflow.on("run.started", listener)],
    ["a filter of a stream", (workflow, kept) => workflow.run(tea).streamEvents().filter(kept)],
    ["the end of a stream", (workflow, last) => workflow.run(tea).streamEvents().until(last)],
    ["the signal of a stream", (workflow, signal) => workflow.run(tea).streamEvents({ signal })],
    ["a `migrate`", (workflow, migrate) => Context.fromDict(workflow, {}, { migrate })],
    ["a codec to write", (workflow, codec) => new Context(workflow).toDict({ codec })],
    ["a codec to read", (workflow, codec) => Context.fromDict(workflow, {}, { codec })],
    ["what is drawn", (_workflow, source) => toMermaid(source)],
    ["what is recorded", (_workflow, source) => traceRuns(source)],
  ])("is refused at once: %s", (_, use) => {
    for (const value of [5, "text", {}])
      expect(() => use(shop(), value as never)).toThrow(withHint("OPTION_INVALID", /is not an? /));
  });

  it.each<[string, (ctx: Context, value: never) => unknown]>([
    ["the effect of a `run`", (ctx, effect) => ctx.run("key", effect)],
    ["an edit", (ctx, edit) => ctx.store.editState(edit)],
  ])("is refused by the step that gives it: %s", async (_, use) => {
    expect(await rejection(new Context(shop()).store.editState(undefined as never))).toEqual(
      withHint("OPTION_INVALID", /`edit` is not a function/),
    );
    for (const value of [undefined, null, 5, {}])
      expect(await failureOf((ctx) => use(ctx, value as never))).toEqual(
        withHint("OPTION_INVALID", /is not a function/),
      );
  });

  it("is a list of one where a list is missing", async () => {
    const lists = { skipChecks: "deadEnd" as never, events: Item as never };
    const one = defineWorkflow("one").step("only", { on: Order, emits: StopEvent }, () => {
      return new StopEvent({ result: [new Item({ n: 1 })] });
    });

    const handler = one.build(lists).run(tea);

    expect(await handler).toEqual([new Item({ n: 1 })]);
    expect(JSON.stringify(handler.context.toDict())).toContain("Item");
    expect(() => flow({}, "only" as never).run(tea)).not.toThrow();
  });
});
