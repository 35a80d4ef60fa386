/** What a step must not give back: refused with a sentence, whatever it is. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { collect, defineWorkflow, event, HumanResponseEvent, many, StartEvent, StopEvent } from "../src/index.js";
import { rejection, reload, waiting } from "./support/runs.js";
import { withVirtualClock } from "./support/virtual-clock.js";

class Item extends event("Item", { n: z.number() }) {}
class Ready extends HumanResponseEvent.define("Ready") {}
class Money {}

const strange: readonly (readonly [unknown, string])[] = [
  [{ n: 1 }, "a plain object with n;"],
  [{ a: 1, b: 2, c: 3, d: 4 }, "a plain object with a, b, c, …;"],
  [{}, "an empty object"],
  [Object.create(null), "an object of no class"],
  [{ constructor: { name: {} } }, "an object of no class"],
  [new (class {})(), "an object of no class"],
  [new Money(), "an object of Money"],
  [[new Item({ n: 1 })], "an array"],
  [Item, "a function (an event class: use `new`)"],
  [Symbol("n"), "the symbol Symbol(n)"],
  [1n, "the bigint 1"],
];

describe("a result that is not an event", () => {
  const flowOf = (work: () => unknown) =>
    defineWorkflow("strange")
      .step("work", { on: StartEvent, emits: many(Item) }, work as never)
      .step("end", { on: collect(Item), emits: StopEvent }, async () => new StopEvent({ result: null }))
      .build();

  it.each(strange)("is named inside an array, and when a generator yields it: %o", async (value, named) => {
    const errors = [
      await rejection(flowOf(async () => [new Item({ n: 1 }), value]).run()),
      await rejection(
        flowOf(async function* () {
          yield value;
        }).run(),
      ),
    ];

    expect(errors).toEqual(
      errors.map(() =>
        expect.objectContaining({ code: "STEP_RESULT_INVALID", message: expect.stringContaining(named) }),
      ),
    );
  });
});

describe("a result that throws when it is looked at", () => {
  const boom = () => {
    throw new Error("mine");
  };
  const hostile: readonly unknown[] = [
    new Proxy({}, { get: boom }),
    new Proxy({}, { has: boom }),
    Object.defineProperty({}, Symbol.asyncIterator, { get: boom }),
  ];

  it.each(hostile)("fails the step with what it threw", async (value) => {
    const given = [() => value, async () => [value]] as const;
    const errors = await Promise.all(
      given.map((work) =>
        rejection(
          defineWorkflow("hostile")
            .step("work", { on: StartEvent, emits: [many(Item), StopEvent] }, work as never)
            .step("end", { on: Item, emits: StopEvent }, () => new StopEvent({ result: 1 }))
            .build()
            .run(),
        ),
      ),
    );

    expect(errors.map((error) => (error as { code?: string }).code)).not.toContain("INTERNAL");
    expect(errors[0]).toMatchObject({ message: expect.stringMatching(/mine|gave back/) });
  });
});

describe("a thrown value that throws when it is looked at", () => {
  const boom = () => {
    throw new Error("mine");
  };
  const traps = { get: boom, has: boom, getPrototypeOf: boom };
  const hostile: readonly unknown[] = [
    new Proxy({}, traps),
    new Proxy(new Error("inner"), traps),
    new Proxy({}, { getPrototypeOf: boom }),
    Object.defineProperty(new Error("inner"), "message", { get: boom }),
  ];

  it.each(hostile)("fails the step with an error that says so, and handlers get that", async (value) => {
    const throwing = () =>
      defineWorkflow("hostile").step("work", { on: StartEvent, emits: StopEvent }, (): StopEvent => {
        throw value;
      });
    const handled = throwing().catchError("handle", { emits: StopEvent }, ({ error }) => {
      return new StopEvent({ result: (error as Error).message });
    });

    expect(await rejection(throwing().build().run())).toMatchObject({ message: "An error that cannot be read." });
    expect(await handled.build().run()).toBe("An error that cannot be read.");
  });
});

describe("a forgotten `return`", () => {
  it("is named where the run is stuck, also after a restore", async () => {
    const flow = defineWorkflow("forgotten")
      .step("start", { on: StartEvent, emits: Item, waits: Ready }, async (_, ctx) => {
        await ctx.waitForEvent(Ready);
        return new Item({ n: 1 });
      })
      .step("a", { on: StartEvent, emits: StopEvent }, async () => {})
      .step("b", { on: Item, emits: StopEvent }, async () => {})
      .step("quiet", { on: Item }, async () => {})
      .build();
    const first = flow.run();
    await waiting(first);
    const handler = flow.resume(reload(flow, first.context));
    await handler.sendEvent(new Ready());

    expect(await rejection(handler)).toMatchObject({
      code: "RUN_STUCK",
      message: expect.stringContaining(
        'step "a", which emits StopEvent, returned nothing; step "b", which emits StopEvent, returned nothing.',
      ),
    });
  });

  it("is none where the step has sent something, or has ended as a generator", async () => {
    const flow = defineWorkflow("none")
      .step("send", { on: StartEvent, emits: Item }, async (_, ctx) => ctx.sendEvent(new Item({ n: 1 })))
      .step("now", { on: StartEvent, emits: Item }, async (_, ctx) =>
        ctx.sendEvent(new Item({ n: 1 }), { immediate: true }),
      )
      .step("end", { on: Item, emits: StopEvent, skipChecks: ["deadEnd"] }, async () => {})
      .build();

    const error = await rejection(flow.run());

    expect(error.message).toContain('step "end", which emits StopEvent, returned nothing.');
    expect(error.message).not.toMatch(/"send"|"now"/);
  });
});

describe("a deadline that passes", () => {
  it("is not told as time that was used up", async () => {
    const flow = defineWorkflow("late")
      .step("work", { on: StartEvent, emits: StopEvent, waits: Ready }, async (_, ctx) => {
        await ctx.waitForEvent(Ready);
        return new StopEvent({ result: null });
      })
      .build();
    const clock = withVirtualClock(flow);
    const deadline = new Date(clock.now() + 1_000);
    const handler = flow.run({}, { deadline });
    const failed = rejection(handler);
    await clock.advance(1_000);

    const error = await failed;

    expect(error).toMatchObject({ code: "RUN_TIMED_OUT", details: { deadlineMs: deadline.getTime() } });
    expect(error.message).toContain(`was not done at its deadline, ${deadline.toISOString()}. `);
    const [restored, live] = [reload(flow, handler.context).toDict(), handler.context.toDict()];
    expect(restored).toEqual(live);
  });
});
