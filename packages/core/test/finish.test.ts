/** `return ctx.finish(edit)`: a step edits and emits, or neither. */
import { describe, expect, it } from "vitest";
import { type Context, defineWorkflow, type RunContext, StartEvent, StopEvent } from "../src/index.js";
import { Any, Done, flowOf, Item, journalOf, state, stopped, twice, type Values } from "./support/finishing.js";
import { rejection } from "./support/runs.js";
import { recordLog, withVirtualClock } from "./support/virtual-clock.js";

describe("ctx.finish", () => {
  it("edits the state and gives the output of the step, in one tick", async () => {
    const { flow } = flowOf((ctx) =>
      ctx.finish((draft) => {
        draft.list.push(7);
        return new Item({ n: draft.list.length });
      }),
    );
    const journal = journalOf();
    withVirtualClock(flow, { journal });

    expect(await flow.run()).toEqual([1, { list: [7], total: 0 }]);
    expect(journal.types()).toEqual(["run.started", "step.completed", "step.completed"]);
  });

  it("shows readers in that tick what its callback shows, and only if it counts", async () => {
    const { flow } = flowOf(
      (ctx, attempt) =>
        ctx.finish((draft) => {
          ctx.writeEventToStream(new Any({ value: attempt }));
          if (attempt === 1) throw new Error("no");
          draft.total = attempt;
          return new Item({ n: attempt });
        }),
      { retry: twice, streams: Any },
    );
    const journal = journalOf();
    withVirtualClock(flow, { journal });
    const handler = flow.run();
    const shown: unknown[] = [];
    for await (const { event } of handler.streamEvents()) if (event instanceof Any) shown.push(event.value);

    expect(await handler).toEqual([2, { list: [], total: 2 }]);
    expect(shown).toEqual([2]);
    expect(journal.types()).not.toContain("stream.written");
  });

  it("gives an array where `emits` says many, and nothing at all", async () => {
    const { flow } = flowOf((ctx) =>
      ctx.finish((draft) => {
        draft.total = 2;
        return [new Done({ n: 1 }), new Done({ n: 2 })];
      }),
    );
    const silent = defineWorkflow("silent", { state })
      .step("begin", { on: StartEvent, emits: Item }, (_, ctx) => void ctx.sendEvent(new Item({ n: 1 })))
      .step("count", { on: Item, emits: Done }, (_, ctx) =>
        ctx.finish((draft) => {
          draft.total++;
        }),
      )
      .step("never", { on: Done, emits: StopEvent }, () => stopped(0))
      .build({ log: recordLog() });
    const handler = silent.run();

    expect(await flow.run()).toEqual([[1, 2], { list: [], total: 2 }]);
    expect((await rejection(handler)).code).toBe("RUN_STUCK");
    expect(await handler.context.store.get("total")).toBe(1);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("no")), "no"],
    ["gives an event that is not declared", () => new Any({ value: 1 }), "EVENT_UNDECLARED"],
    ["gives no event", () => ({ n: 1 }), "STEP_RESULT_INVALID"],
    ["is async", async () => new Item({ n: 1 }), "STEP_RESULT_INVALID"],
    ["makes a state that its schema refuses", () => "too much", "STATE_INVALID"],
    ["makes a state that cannot be stored", () => "unstorable", "VALUE_UNSERIALIZABLE"],
  ])("that %s changes nothing and fails the attempt, which is retried", async (name, give, expected) => {
    const errors: unknown[] = [];
    const { flow } = flowOf(
      (ctx, attempt) => {
        errors.push(ctx.retryInfo().lastError);
        return ctx.finish((draft) => {
          draft.list.push(attempt);
          if (attempt === 2) return new Item({ n: attempt });
          if (name === "throws") throw new Error("no");
          const given = give();
          if (given === "too much") draft.total = 5000;
          if (given === "unstorable") Object.assign(draft, { total: () => {} });
          return typeof given === "string" ? new Item({ n: 0 }) : given;
        });
      },
      { retry: twice },
    );

    expect(await flow.run()).toEqual([2, { list: [2], total: 0 }]);
    expect([(errors[1] as { code?: string }).code, (errors[1] as Error).message]).toContain(expected);
  });

  it("gives events what the draft has, and not the draft", async () => {
    const { flow } = flowOf((ctx) =>
      ctx.finish((draft) => {
        draft.list.push(1, 2);
        return new Item({ n: new Any({ value: { deep: [draft.list] } }).value === null ? 0 : draft.list.length });
      }),
    );
    const plain = defineWorkflow("plain", { state })
      .step("work", { on: StartEvent, emits: StopEvent }, (_, ctx) =>
        ctx.finish((draft) => {
          draft.list.push(3);
          const given = { all: draft.list, within: { list: draft.list } };
          draft.list.push(4);
          return stopped(given);
        }),
      )
      .build();

    expect(await flow.run()).toEqual([2, { list: [1, 2], total: 0 }]);
    expect(await plain.run()).toEqual({ all: [3, 4], within: { list: [3, 4] } });
  });

  it("changes nothing but the run's own tick where the edit changes nothing", async () => {
    const { flow } = flowOf((ctx) => ctx.finish((draft) => new Item({ n: draft.total })));
    const journal = journalOf();
    withVirtualClock(flow, { journal });

    await flow.run();

    expect(journal.ticks.some((tick) => "change" in tick)).toBe(false);
  });
});

describe("what else a step does before it finishes", () => {
  it("comes first: awaited edits, forgotten ones, sends", async () => {
    const { flow } = flowOf(async (ctx) => {
      await ctx.store.editState((draft) => void draft.list.push(1));
      void ctx.store.editState((draft) => void draft.list.push(2));
      void ctx.store.set("total", 5);
      return ctx.finish((draft) => {
        draft.list.push(3);
        return new Item({ n: draft.total++ });
      });
    });

    expect(await flow.run()).toEqual([5, { list: [1, 2, 3], total: 6 }]);
  });

  it("is remembered by a retry, and the last edit is made once", async () => {
    const { flow } = flowOf(
      async (ctx, attempt) => {
        await ctx.store.editState((draft) => void draft.list.push(1));
        return ctx.finish((draft) => {
          draft.list.push(2);
          if (attempt === 1) throw new Error("once");
          return new Item({ n: attempt });
        });
      },
      { retry: twice },
    );

    expect(await flow.run()).toEqual([2, { list: [1, 2], total: 0 }]);
  });

  it.each([
    ["an edit", (ctx: Context<Values>) => ctx.store.editState((draft) => void draft.total++)],
    ["a write", (ctx: Context<Values>) => ctx.store.set("total", 1)],
    ["a sleep", (ctx: Context<Values>) => ctx.sleep(1)],
    ["a second finish", (ctx: Context<Values>) => ctx.finish(() => {})],
  ])("cannot be done inside of it: %s", async (_, call) => {
    const { flow } = flowOf((ctx) =>
      ctx.finish((draft) => {
        draft.list.push(1);
        void call(ctx);
        return new Item({ n: 1 });
      }),
    );
    const handler = flow.run();

    expect(await rejection(handler)).toMatchObject({
      code: "STATE_LOCKED",
      message: expect.stringContaining("was called inside `ctx.finish`."),
    });
    expect(await (handler.context as RunContext<Values>).store.get("list")).toEqual([]);
  });
});

describe("a finish that is not what the step returns", () => {
  it.each<[string, (ctx: Context<Values>) => unknown]>([
    ["is forgotten", (ctx) => [ctx.finish(() => {}), new Item({ n: 1 })][1]],
    ["is in an array", (ctx) => [ctx.finish(() => new Done({ n: 1 }))]],
    ["is a second one", (ctx) => [ctx.finish(() => {}), ctx.finish(() => new Item({ n: 1 }))][1]],
    ["is returned by another callback", (ctx) => ctx.finish(() => ctx.store)],
    [
      "is yielded",
      (ctx) =>
        (async function* () {
          yield ctx.finish(() => {});
        })(),
    ],
    [
      "ends a generator with an event",
      (ctx) =>
        (async function* () {
          yield new Done({ n: 1 });
          return ctx.finish(() => new Done({ n: 1 }));
        })(),
    ],
  ])("fails the step when it %s", async (_, work) => {
    const { flow } = flowOf(work);

    expect((await rejection(flow.run())).code).toBe("STEP_RESULT_INVALID");
  });

  it("fails the step when it was made by another attempt", async () => {
    let first: unknown = null;
    const { flow } = flowOf(
      (ctx) => {
        const own = ctx.finish(() => new Item({ n: 1 }));
        if (first !== null) return first;
        first = own;
        throw new Error("once");
      },
      { retry: twice },
    );

    expect((await rejection(flow.run())).code).toBe("STEP_RESULT_INVALID");
  });

  it("is refused after the end of its attempt, inside an edit, and without a function", async () => {
    let late: Context<Values> | null = null;
    const codes: unknown[] = [];
    const codeOf = (call: () => unknown): unknown => {
      try {
        return call();
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    const { flow } = flowOf(async (ctx) => {
      late = ctx;
      codes.push(codeOf(() => ctx.finish(null as never)));
      await ctx.store
        .editState(() => void codes.push(codeOf(() => ctx.finish(() => {}))))
        .catch(({ code }: { code: string }) => codes.push(code));
      return new Item({ n: 1 });
    });
    await flow.run();

    codes.push(codeOf(() => (late as unknown as Context<Values>).finish(() => {})));

    expect(codes).toEqual(["OPTION_INVALID", "STATE_LOCKED", "STATE_LOCKED", "ATTEMPT_ENDED"]);
  });
});
