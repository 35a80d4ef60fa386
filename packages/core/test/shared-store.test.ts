/** Children that work on the store of their parent. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  Context,
  defineWorkflow,
  resource,
  retryPolicy,
  StartEvent,
  StopEvent,
  type Store,
  step,
  stop,
  Workflow,
  wait,
} from "../src/index.js";
import { gate, rejection, reload } from "./support/runs.js";

interface Counted {
  count: number;
}
const stopped = <Result>(result: Result): StopEvent<Result> => new StopEvent({ result });
const shared = (key: string) => ({ key, store: "shared" }) as const;
const counting = { state: { count: z.number().default(0) } };

/** One more, with an await in between: exact only where one writer is at work. */
function countOne(store: Store, key: string): Promise<number> {
  return (store as unknown as Store<Counted>).editState(
    async (state) => {
      const { count } = state;
      await Promise.resolve();
      state.count = count + 1;
      return state.count;
    },
    { key },
  );
}

const many = (store: Store, of: number): Promise<number[]> =>
  Promise.all(Array.from({ length: of }, (_, n) => countOne(store, `${n}`)));

function counter(of: number) {
  return defineWorkflow("counter")
    .step("count", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) =>
      stopped((await many(ctx.store, of)).length),
    )
    .build();
}

describe("a child that shares the store", () => {
  it("edits it exactly, beside its parent and another child: 1,000 edits with an await inside", async () => {
    const child = counter(300);
    const parent = defineWorkflow("parent", { ...counting, children: { child } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await Promise.all([
          ctx.runChild(child, {}, shared("a")),
          ctx.runChild(child, {}, shared("b")),
          many(ctx.store as never, 400),
        ]);
        return stopped(await ctx.store.get("count"));
      })
      .build();

    expect(await parent.run()).toBe(1_000);
  });

  it("sees what the parent has, and is seen at once, also two levels down; the default is a store of its own", async () => {
    const leaf = defineWorkflow("leaf")
      .step("leaf", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const seen = await ctx.store.get("said");
        await ctx.store.set("leaf", true);
        return stopped(seen);
      })
      .build();
    const child = defineWorkflow("child", { children: { leaf } })
      .step("child", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) =>
        stopped([await ctx.runChild(leaf, {}, shared("in")), await ctx.runChild(leaf, {}, { key: "alone" })]),
      )
      .build();
    const parent = defineWorkflow("parent", { children: { child } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.store.set("said", "hello");
        const seen = await ctx.runChild(child, {}, shared("child"));
        return stopped([seen, await ctx.store.getState()]);
      })
      .build();

    expect(await parent.run()).toEqual([["hello", undefined], { said: "hello", leaf: true }]);
  });

  it("goes on from a snapshot in the middle, with one state for both in it", async () => {
    const { promise, open } = gate();
    const begun = gate();
    const child = defineWorkflow("child")
      .step("count", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const before = await countOne(ctx.store, "before");
        begun.open();
        await promise;
        return stopped([before, await countOne(ctx.store, "after")]);
      })
      .build();
    const parent = defineWorkflow("parent", { ...counting, children: { child } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await countOne(ctx.store as never, "parent");
        const given = await ctx.runChild(child, {}, shared("child"));
        return stopped([given, await ctx.store.get("count")]);
      })
      .build();
    const first = parent.run();
    await begun.promise;
    const dict = JSON.parse(JSON.stringify(first.context.toDict()));
    await first.cancel();
    open();

    const [inner] = Object.values(dict.children) as { readonly store?: unknown }[];
    expect([dict.store, inner?.store]).toEqual([{ json: { count: 2 } }, undefined]);
    expect(await parent.resume(Context.fromDict(parent, dict))).toEqual([[2, 3], 3]);
  });

  it("does not edit twice when a step of it is tried again", async () => {
    const child = defineWorkflow("child")
      .step(
        "count",
        { on: StartEvent, emits: StopEvent, retry: retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) }) },
        async (_ev, ctx) => {
          await countOne(ctx.store, "once");
          if (ctx.retryInfo().retry === 0) throw new Error("again");
          return stopped(await countOne(ctx.store, "twice"));
        },
      )
      .build();
    const parent = defineWorkflow("parent", { ...counting, children: { child } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) =>
        stopped([await ctx.runChild(child, {}, shared("child")), await ctx.store.get("count")]),
      )
      .build();

    expect(await parent.run()).toEqual([2, 2]);
  });

  it("stops with the step that started it: what it has done stays, its open edit does not", async () => {
    const editing = gate();
    const never = gate();
    const child = defineWorkflow("child")
      .step("count", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await countOne(ctx.store, "done");
        await ctx.store.editState(async (state) => {
          state["count"] = 100;
          editing.open();
          await never.promise;
        });
        return stopped("never");
      })
      .build();
    const parent = defineWorkflow("parent", { ...counting, children: { child } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        void ctx.runChild(child, {}, shared("child"));
        await editing.promise;
        return stopped("done");
      })
      .build();
    const handler = parent.run();
    await handler;
    never.open();

    expect(await handler.context.store.getState()).toEqual({ count: 1 });
    expect(await handler.context.store.editState((state) => ++(state as Counted).count)).toBe(2);
  });

  it("goes on with its parent after a cancel", async () => {
    const begun = gate();
    const { promise, open } = gate();
    const child = defineWorkflow("child")
      .step("count", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await countOne(ctx.store, "before");
        begun.open();
        await promise;
        return stopped(await countOne(ctx.store, "after"));
      })
      .build();
    const parent = defineWorkflow("parent", { ...counting, children: { child } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) =>
        stopped([await ctx.runChild(child, {}, shared("child")), await ctx.store.get("count")]),
      )
      .build();
    const first = parent.run();
    await begun.promise;
    await first.cancel();
    open();

    expect(await parent.resume(reload(parent, first.context) as never)).toEqual([2, 2]);
  });

  it("shares what the run has in memory: resources of the scope `run`", async () => {
    let made = 0;
    const log = resource("log", () => ({ number: ++made, lines: [] as string[] }), { scope: "run" });
    const own = resource("own", () => ({ number: ++made }), { scope: "call" });
    const child = defineWorkflow("child")
      .step("say", { on: StartEvent, emits: StopEvent, resources: { log, own } }, (_ev, _ctx, given) => {
        given.log.lines.push("child");
        return stopped(given.log.number);
      })
      .build();
    const parent = defineWorkflow("parent", { children: { child } })
      .step("work", { on: StartEvent, emits: StopEvent, resources: { log } }, async (_ev, ctx, given) => {
        given.log.lines.push("parent");
        const numbers = [
          await ctx.runChild(child, {}, shared("child")),
          await ctx.runChild(child, {}, { key: "alone" }),
        ];
        return stopped([given.log.lines, numbers.map((number) => number === given.log.number)]);
      })
      .build();

    expect(await parent.run()).toEqual([
      ["parent", "child"],
      [true, false],
    ]);
  });
});

describe("the schema of a shared state", () => {
  const pattern = {
    name: "Pattern",
    is: (value: unknown) => value instanceof RegExp,
    encode: ({ source }: RegExp) => source,
    decode: (source: string) => new RegExp(source),
  };

  it("is that of the parent: the child's edits are checked by it", async () => {
    const child = defineWorkflow("child")
      .step("break", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) =>
        stopped((await rejection(ctx.store.set("count", "three"))).code),
      )
      .build();
    const parent = defineWorkflow("parent", { ...counting, children: { child } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) =>
        stopped(await ctx.runChild(child, {}, shared("child"))),
      )
      .build();

    expect(await parent.run()).toBe("STATE_INVALID");
  });

  it("may be declared by both, where both extend one base class", async () => {
    const Base = Workflow.withState({ count: z.number().default(7) });
    class Child extends Base {
      work = step({ on: StartEvent, emits: StopEvent }, async (_ev, ctx: Context<Counted>) =>
        stopped(await ctx.store.get("count")),
      );
    }
    class Parent extends Base {
      static readonly children = { child: Child };
      work = step({ on: StartEvent, emits: StopEvent }, async (_ev, ctx: Context<Counted>) => {
        await ctx.store.set("count", 8);
        return stopped(await ctx.runChild(Child, {}, shared("child")));
      });
    }

    expect(await new Parent().run()).toBe(8);
  });

  it("refuses a child with a schema or types of its own, all of it at once, and an option that there is not", async () => {
    const child = defineWorkflow("child", { state: { other: z.string().default("") } })
      .step("work", { on: StartEvent, emits: StopEvent }, () => stopped(null))
      .build();
    const parent = defineWorkflow("parent", { ...counting, children: { child } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const refused = await rejection(ctx.runChild(child, {}, shared("child")));
        const unknown = await rejection(ctx.runChild(child, {}, { store: "mine" } as never));
        return stopped([refused, unknown.code]);
      })
      .build({ types: [pattern as never] });

    const [refused, unknown] = (await parent.run()) as [Error, string];

    expect(unknown).toBe("OPTION_INVALID");
    expect(refused).toMatchObject({
      code: "OPTION_INVALID",
      message:
        'The child "child" cannot share the store of "parent": it has its own state schema; it does not register the types Pattern.',
      details: { reason: "store" },
    });
  });
});
