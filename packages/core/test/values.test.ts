/** What events, state and memory hold: kept as it was through snapshots, or refused with its path. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  Context,
  type ContextDict,
  defineWorkflow,
  event,
  HumanResponseEvent,
  type RunContext,
  retryPolicy,
  StartEvent,
  type StateOf,
  StopEvent,
  stop,
  type Workflow,
  type WorkflowError,
  wait,
} from "../src/index.js";
import { rejection, waiting } from "./support/runs.js";

class Answer extends HumanResponseEvent.define("Answer", { yes: z.boolean() }) {}

/** The snapshot of a run in a new context, as if another process had loaded it. */
function reload<Flow extends Workflow>(workflow: Flow, context: { toDict(): ContextDict }): RunContext<StateOf<Flow>> {
  return Context.fromDict(workflow, JSON.parse(JSON.stringify(context.toDict())));
}

describe("values that JSON does not have", () => {
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
    decode: (json: unknown) => new Money(json as number),
  };
  class Bill extends event("Bill", {
    total: z.instanceof(Money),
    at: z.date(),
    lines: z.map(z.string(), z.bigint()),
    tags: z.set(z.string()),
  }) {}

  const billing = () =>
    defineWorkflow("billing", {
      state: {
        paid: z.instanceof(Money).default(() => new Money(0)),
        seen: z.set(z.string()).default(() => new Set<string>()),
      },
    })
      .step("open", { on: StartEvent, emits: Bill }, async (_ev, ctx) => {
        await ctx.store.set("paid", new Money(5));
        await ctx.store.editState((state) => void state.seen.add("open"));
        return new Bill({
          total: new Money(12),
          at: new Date(7),
          lines: new Map([["one", 2n ** 65n]]),
          tags: new Set(["a"]),
        });
      })
      .step("pay", { on: Bill, emits: StopEvent, waits: Answer }, async (bill, ctx) => {
        await ctx.waitForEvent(Answer);
        const { paid, seen } = await ctx.store.getState();
        return new StopEvent({ result: { bill: { ...bill }, paid, seen } });
      })
      .build({ types: [money] });

  it("come back as they were, in events and in the state", async () => {
    const handler = billing().run();
    await waiting(handler);
    const workflow = billing();

    const resumed = workflow.resume(reload(workflow, handler.context));
    await resumed.sendEvent(new Answer({ yes: true }));

    expect(await resumed).toStrictEqual({
      bill: { total: new Money(12), at: new Date(7), lines: new Map([["one", 2n ** 65n]]), tags: new Set(["a"]) },
      paid: new Money(5),
      seen: new Set(["open"]),
    });
  });

  it("cannot be read by a workflow that does not register them", async () => {
    const handler = billing().run();
    await waiting(handler);
    const dict = JSON.parse(JSON.stringify(handler.context.toDict()));
    const forgetful = defineWorkflow("billing")
      .step("open", { on: StartEvent, emits: Bill }, () => null)
      .step("pay", { on: Bill, emits: StopEvent, waits: Answer }, () => null)
      .build();

    expect(() => Context.fromDict(forgetful, dict)).toThrow(expect.objectContaining({ code: "SNAPSHOT_INVALID" }));
  });

  it("belong to each workflow: a child may have types that its parent does not know", async () => {
    class Paid extends StopEvent.define("Paid", { total: z.instanceof(Money) }) {}
    class Nod extends HumanResponseEvent.define("Nod") {}
    const child = defineWorkflow("child")
      .step("pay", { on: StartEvent, emits: Paid, waits: Nod }, async (_ev, ctx) => {
        await ctx.waitForEvent(Nod);
        return new Paid({ total: new Money(3) });
      })
      .build({ types: [money] });
    const parent = defineWorkflow("parent", { children: { child } })
      .step("call", { on: StartEvent, emits: StopEvent, waits: Answer }, async (_ev, ctx) => {
        const paid = await ctx.runChild(child);
        await ctx.waitForEvent(Answer);
        return new StopEvent({ result: paid.total.cents });
      })
      .build();
    const handler = parent.run();
    await waiting(handler);
    await handler.sendEvent(new Nod());
    await waiting(handler);

    const resumed = parent.resume(reload(parent, handler.context));
    await resumed.sendEvent(new Answer({ yes: true }));

    expect(await resumed).toBe(3);
  });
});

describe("what cannot be stored", () => {
  class Socket {
    readonly open = true;
  }
  class Connected extends event("Connected", { via: z.object({ socket: z.any() }) }) {}

  it("in the state is refused where it is written, with its path, and nothing of it is kept", async () => {
    const workflow = defineWorkflow("state")
      .step("only", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.store.set("a", 1);
        const errors = [
          await rejection(ctx.store.set("connection", { socket: new Socket() })),
          await rejection(ctx.store.editState((state) => void Object.assign(state, { a: 2, call: () => 1 }))),
          await rejection(ctx.store.setState({ deep: [{ symbol: Symbol("x") }] } as never)),
        ];
        return new StopEvent({ result: [errors, await ctx.store.getState()] });
      })
      .build();

    const [errors, state] = (await workflow.run()) as [WorkflowError[], unknown];

    expect(errors.map(({ code }) => code)).toEqual(Array(3).fill("VALUE_UNSERIALIZABLE"));
    expect(errors.map(({ details }) => details["reason"])).toEqual(Array(3).fill("state"));
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining("connection.socket"),
      expect.stringContaining("call"),
      expect.stringContaining("deep.0.symbol"),
    ]);
    expect(errors.every(({ hint }) => /\w/.test(hint))).toBe(true);
    expect(state).toEqual({ a: 1 });
  });

  it("in an event is named by the snapshot, and the run goes on", async () => {
    const workflow = defineWorkflow("event")
      .step("start", { on: StartEvent, emits: Connected }, () => new Connected({ via: { socket: new Socket() } }))
      .step("end", { on: Connected, emits: StopEvent, waits: Answer }, async (ev, ctx) => {
        await ctx.waitForEvent(Answer);
        return new StopEvent({ result: ev.via.socket.open });
      })
      .build();
    const handler = workflow.run();
    await waiting(handler);

    expect(() => handler.context.toDict()).toThrow(
      expect.objectContaining({
        code: "VALUE_UNSERIALIZABLE",
        message: expect.stringMatching(/Connected.*via\.socket.*Socket/),
        hint: expect.stringMatching(/\w/),
      }),
    );
    await handler.sendEvent(new Answer({ yes: true }));
    expect(await handler).toBe(true);
  });

  it("as the result of `run` fails the step with its path, before it is remembered", async () => {
    const workflow = defineWorkflow("effect")
      .step("only", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const error = await rejection(ctx.run("connect", () => ({ socket: new Socket() })));
        return new StopEvent({ result: error.message });
      })
      .build();

    expect(await workflow.run()).toMatch(/connect.*socket.*Socket/);
  });

  it("is a class that refers to itself, found without running out of stack", async () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const context = new Context(
      defineWorkflow("circle")
        .step("only", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
        .build(),
    );

    const error = await rejection(context.store.set("circle" as never, circle as never));

    expect(error).toMatchObject({ code: "VALUE_UNSERIALIZABLE" });
  });
});

describe("what a work item remembers", () => {
  const once = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) });

  it.each<[string, (ctx: Context) => Promise<{ list: number[] }>]>([
    ["run", (ctx) => ctx.run("make", () => ({ list: [1] }))],
    ["editState", (ctx) => ctx.store.editState(() => ({ list: [1] }))],
  ])("of `%s` is what it gave, whatever the step makes of it afterwards", async (_name, make) => {
    const seen: string[] = [];
    const workflow = defineWorkflow("memory")
      .step("only", { on: StartEvent, emits: StopEvent, retry: once }, async (_ev, ctx) => {
        const made = await make(ctx);
        seen.push(JSON.stringify(made));
        made.list.push(2);
        if (ctx.retryInfo().retry === 0) throw new Error("again");
        return new StopEvent({ result: made.list });
      })
      .build();

    const result = await workflow.run();

    expect(seen).toEqual(['{"list":[1]}', '{"list":[1]}']);
    expect(result).toEqual([1, 2]);
  });
});
