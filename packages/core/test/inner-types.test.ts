/** Events and classes that only occur inside other values: registered once, and then kept as any other. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  Context,
  defineWorkflow,
  event,
  HumanResponseEvent,
  StartEvent,
  StopEvent,
  step,
  Workflow,
  type WorkflowError,
} from "../src/index.js";
import { Machine } from "./support/processes.js";
import { rejection, waiting } from "./support/runs.js";
import { refusal, stored } from "./support/stored.js";

class Line extends event("Line", { text: z.string(), at: z.date().optional() }) {}
class Go extends HumanResponseEvent.define("Go") {}
class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
}
const money = {
  name: "Money",
  is: (value: unknown) => value instanceof Money,
  encode: (value: Money) => value.cents,
  decode: (cents: number) => new Money(cents),
};

const lines = () => [new Line({ text: "one", at: new Date(5) }), new Line({ text: "two" })];

class Forgetful extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  write() {
    return new StopEvent({ result: { lines: lines() } });
  }
}
class Poem extends Forgetful {
  static override readonly events = [Line];
  static override readonly types = [money];
}

describe("an event inside a result", () => {
  it("is refused with its path where it is stored, when the workflow does not know it", async () => {
    const { runtime } = new Machine().open({ poem: new Forgetful() });

    const error = (await rejection(runtime.run("poem", {}, { runId: "one" }))) as WorkflowError;

    expect(error).toMatchObject({
      code: "VALUE_UNSERIALIZABLE",
      details: { path: "step.completed: output: StopEvent.result.lines.0" },
    });
    expect(error.message).toContain('an event "Line", which the workflow does not have');
    expect(error.hint).toContain("`events`");
  });

  it.each([
    ["of a class", () => new Poem()],
    [
      "of functions",
      () =>
        defineWorkflow("poem", { events: [Line] })
          .step("write", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: { lines: lines() } }))
          .build(),
    ],
    [
      "that gets them as an option",
      () =>
        defineWorkflow("poem")
          .step("write", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: { lines: lines() } }))
          .build({ events: [Line] }),
    ],
  ])("comes back in another process from a workflow %s that lists it in `events`", async (_form, make) => {
    const machine = new Machine();
    await machine.open({ poem: make() }).runtime.run("poem", {}, { runId: "one" });

    const result = await machine.open({ poem: make() }).runtime.handle("one");

    expect(result).toStrictEqual({ lines: lines() });
    expect(Line.is((result as { lines: unknown[] }).lines[0])).toBe(true);
  });

  it("of another class with that type is refused", async () => {
    class Twin extends event("Line", { text: z.string() }) {}
    const twin = defineWorkflow("twin", { events: [Twin] })
      .step("write", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: lines()[0] }))
      .build();

    const error = await rejection(new Machine().open({ twin }).runtime.run("twin", {}));

    expect(error.message).toContain('an event "Line", whose class is another one in the workflow');
  });
});

describe("registered events and types", () => {
  const keeper = () =>
    defineWorkflow("keeper", {
      events: [Line],
      types: [money],
      state: { lines: z.array(z.any()).default(() => []), total: z.any().optional() },
    })
      .step("keep", { on: StartEvent, emits: StopEvent, waits: Go }, async (_ev, ctx) => {
        const [first] = (await ctx.run("fetch", () => lines())) as Line[];
        await ctx.store.editState((state) => {
          state.lines.push(first);
          state.total = new Money(5);
        });
        await ctx.waitForEvent(Go);
        return new StopEvent({ result: [first, (await ctx.store.getState()).lines, await ctx.store.get("total")] });
      })
      .build();

  it("may be in the state and in results of ctx.run, also after a restore", async () => {
    const handler = keeper().run();
    await waiting(handler);
    const workflow = keeper();

    const resumed = workflow.resume(Context.fromDict(workflow, stored(handler.context.toDict())));
    await resumed.sendEvent(new Go());

    expect(await resumed).toStrictEqual([lines()[0], [lines()[0]], new Money(5)]);
  });

  it("are inherited by subclasses of the workflow", async () => {
    class Longer extends Poem {}
    const machine = new Machine();
    await machine.open({ poem: new Longer() }).runtime.run("poem", {}, { runId: "one" });

    expect(await machine.open({ poem: new Longer() }).runtime.handle("one")).toStrictEqual({ lines: lines() });
  });

  it.each([
    [{ events: [Money] }, "has Money among its `events`, which is not an event class"],
    [{ events: [undefined] }, "has undefined among its `events`"],
    [{ types: [money, { ...money }] }, 'registers the type "Money", and another of that name'],
    [{ types: [{ ...money, name: "@event" }] }, 'registers the type "@event", which is a name of the engine\'s own'],
  ])("are checked when the workflow is: %o", (options, message) => {
    const error = refusal(() =>
      defineWorkflow("wrong", options as never)
        .step("only", { on: StartEvent, emits: StopEvent }, () => new StopEvent())
        .build(),
    );

    expect(error.code).toBe("WORKFLOW_INVALID");
    expect(error.message).toContain(message);
  });
});

describe("an instance of a class that extends Map, Set, Array, Date, Error, URL or a typed array", () => {
  class Tags extends Array<string> {}
  class Bag extends Map<string, number> {}
  class Names extends Set<string> {}
  class Day extends Date {}
  class Failure extends Error {}
  class Link extends URL {}
  class Bytes extends Uint8Array {}
  const instances: [string, unknown][] = [
    ["Tags, a class that extends Array", new Tags("a", "b")],
    ["Bag, a class that extends Map", new Bag([["a", 1]])],
    ["Names, a class that extends Set", new Names(["a"])],
    ["Day, a class that extends Date", new Day(5)],
    ["Failure, a class that extends Error", new Failure("no")],
    ["Link, a class that extends URL", new Link("https://example.org")],
    ["Bytes, a class that extends Uint8Array", new Bytes(2)],
    ["Buffer, a class that extends Uint8Array", Buffer.from("ab")],
  ];

  const tries = (value: unknown) =>
    defineWorkflow("tries")
      .step("try", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const errors = [
          await rejection(ctx.store.set("at", { value })),
          await rejection(ctx.store.editState((state) => void Object.assign(state, { at: { value } }))),
          await rejection(ctx.run("effect", () => ({ value }))),
        ];
        return new StopEvent({
          result: errors.map(({ code, message, details }) => [code, message, details?.["reason"]]),
        });
      })
      .build();

  it.each(instances)("is refused in the state and in results: %s", async (name, value) => {
    const told = (await tries(value).run()) as [string, string, unknown][];

    expect(told.map(([code]) => code)).toEqual(Array(3).fill("VALUE_UNSERIALIZABLE"));
    expect(told.map(([, , reason]) => reason)).toEqual(["state", "state", undefined]);
    for (const [, message] of told) expect(message).toContain(`an instance of ${name}`);
  });

  it.each(instances)("is refused in an event that is stored: %s", async (name, value) => {
    const gives = defineWorkflow("gives")
      .step("give", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: { value } }))
      .build();

    const error = await rejection(new Machine().open({ gives }).runtime.run("gives", {}));

    expect(error.message).toContain(`StopEvent.result.value is an instance of ${name}`);
  });

  it("is kept where the class is registered", async () => {
    const tags = {
      name: "Tags",
      is: (value: unknown) => value instanceof Tags,
      encode: (value: Tags) => [...value],
      decode: (json: string[]) => Tags.from(json),
    };
    const keeps = () =>
      defineWorkflow("keeps", { types: [tags] })
        .step("keep", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
          await ctx.store.set("tags", new Tags("a", "b"));
          return new StopEvent({ result: await ctx.store.get("tags") });
        })
        .build();
    const machine = new Machine();
    await machine.open({ keeps: keeps() }).runtime.run("keeps", {}, { runId: "one" });

    const back = await machine.open({ keeps: keeps() }).runtime.handle("one");

    expect(back).toBeInstanceOf(Tags);
    expect(back).toEqual(new Tags("a", "b"));
  });

  it("is kept where it is an error of the language", async () => {
    const fails = () =>
      defineWorkflow("fails")
        .step("fail", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: new RangeError("too far") }))
        .build();
    const machine = new Machine();
    await machine.open({ fails: fails() }).runtime.run("fails", {}, { runId: "one" });

    const back = await machine.open({ fails: fails() }).runtime.handle("one");

    expect(back).toBeInstanceOf(RangeError);
    expect(back).toMatchObject({ name: "RangeError", message: "too far" });
  });
});
