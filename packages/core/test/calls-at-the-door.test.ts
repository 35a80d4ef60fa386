/** Calls that could never give what they ask for are refused where they are made, with one hint that leads on. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Context, defineWorkflow, type EventClass, event, StartEvent, StopEvent } from "../src/index.js";
import { Answer, flowOf, stopped } from "./support/note-flow.js";
import { rejection, reload, waiting } from "./support/runs.js";

class Shape extends event("Shape", { name: z.string() }) {}
class Circle extends Shape.extend("Circle", { radius: z.number() }) {}
class Square extends Shape.extend("Square", { side: z.number() }) {}
class Asked extends event("Asked") {}

const circle = new Circle({ name: "c", radius: 1 });
const square = new Square({ name: "s", side: 1 });

/** Draws two shapes, and gives the types of the set. */
function drawing(expected: readonly EventClass[]) {
  return defineWorkflow("drawing")
    .step("draw", { on: StartEvent, emits: [Shape, Circle, Square] }, (_, ctx) => {
      ctx.sendEvent(circle);
      ctx.sendEvent(square);
    })
    .step("pair", { on: Shape, emits: StopEvent, subclasses: true, workers: 1 }, async (shape, ctx) => {
      const set = await ctx.collectEvents(shape, expected);
      return set && stopped(set.map(({ type }) => type));
    })
    .build();
}

describe("collectEvents of a step that takes subclasses", () => {
  it("counts subclasses of what is expected", async () => {
    expect(await drawing([Shape, Shape]).run()).toEqual(["Circle", "Square"]);
  });

  it("gives each event the place that it alone can take", async () => {
    expect(await drawing([Shape, Circle]).run()).toEqual(["Square", "Circle"]);
  });

  it("keeps what has been collected over a restore", async () => {
    const flow = defineWorkflow("collecting")
      .step("begin", { on: StartEvent, emits: [Circle, Asked] }, (_, ctx) => {
        ctx.sendEvent(circle);
        ctx.sendEvent(new Asked());
      })
      .step("ask", { on: Asked, emits: Square, waits: Answer }, async (_, ctx) => {
        await ctx.waitForEvent(Answer);
        return square;
      })
      .step("pair", { on: Shape, emits: StopEvent, subclasses: true }, async (shape, ctx) => {
        const set = await ctx.collectEvents(shape, [Shape, Shape]);
        return set && stopped(set.map(({ name }) => name));
      })
      .build();
    const first = flow.run();
    await waiting(first);

    const second = flow.resume(reload(flow, first.context));
    await second.sendEvent(new Answer({ text: "" }));

    expect(await second).toEqual(["c", "s"]);
  });
});

describe("the `where` of a wait", () => {
  const wait = (where: unknown) =>
    flowOf(async (ctx) => {
      const { code, message } = await rejection(ctx.waitForEvent(Answer, { where: where as never }));
      return [code, message];
    }).flow.run();

  it("holds no function, however deep", async () => {
    expect(await wait({ text: () => true })).toEqual(["VALUE_UNSERIALIZABLE", expect.stringContaining("where")]);
    expect(await wait({ text: [{ at: () => true }] })).toEqual(["VALUE_UNSERIALIZABLE", expect.stringContaining("at")]);
  });

  it("holds no instance of a class that the workflow does not know", async () => {
    expect(await wait({ text: new (class Money {})() })).toEqual([
      "VALUE_UNSERIALIZABLE",
      expect.stringContaining("Money"),
    ]);
  });

  it.each([[() => true], ["text"], [7], [null], [[]]])("is a record, not %o", async (where) => {
    expect(await wait(where)).toEqual(["OPTION_INVALID", expect.stringContaining("`where`")]);
  });
});

describe("a wait for an event that is not declared", () => {
  const hintOf = async (work: (ctx: Context) => Promise<unknown>): Promise<string> => {
    const error = await rejection(flowOf(work).flow.run());
    return (error as { readonly hint?: string }).hint ?? "";
  };

  it("says at once that an ordinary event, which no step emits, never comes", async () => {
    expect(await hintOf((ctx) => ctx.waitForEvent(Asked))).toBe(
      "No step emits Asked: make it an `ExternalEvent`, which comes from outside, and add it to `waits` of the step.",
    );
  });

  it("does not ask to declare what no wait can get", async () => {
    expect(await hintOf((ctx) => ctx.waitForEvent(StopEvent))).toMatch(/ExternalEvent.*never delivered to a wait/);
  });
});

describe("retryInfo", () => {
  it("is refused after the end of its attempt, as every other call is", async () => {
    let late: Context | undefined;
    const { flow } = flowOf(async (ctx) => {
      late = ctx;
      return ctx.retryInfo().retry;
    });

    expect(await flow.run()).toBe(0);
    expect(() => late?.retryInfo()).toThrow(expect.objectContaining({ code: "ATTEMPT_ENDED" }));
  });
});
