/** Batches: how they are opened, what is in them, and when they close. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type CollectOptions,
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  many,
  retryPolicy,
  type Settled,
  StartEvent,
  StopEvent,
  wait,
} from "../src/index.js";
import { gate, rejection, reload, waiting } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

class Item extends event("Item", { n: z.number() }) {}
class Part extends event("Part", { n: z.number(), part: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
class Whole extends event("Whole", { n: z.number(), parts: z.array(z.number()) }) {}
class Skipped extends event("Skipped", { n: z.number() }) {}
class Answer extends HumanResponseEvent.define("Answer", { n: z.number() }) {}

const stopped = (result: unknown): StopEvent => new StopEvent({ result });
const items = (count: number): Item[] => Array.from({ length: count }, (_, n) => new Item({ n }));
const numbers = (all: readonly { readonly n: number }[]): number[] => all.map(({ n }) => n);

interface Behaviour {
  readonly count: number;
  readonly work: (n: number, signal: AbortSignal) => Promise<number | null>;
  readonly options?: CollectOptions;
}

function batchFlow({ count, work, options = {} }: Behaviour) {
  return defineWorkflow("batch")
    .step("start", { on: StartEvent, emits: many(Item) }, async () => items(count))
    .step("work", { on: Item, emits: Done, workers: 100 }, async ({ n }, ctx) => {
      const result = await work(n, ctx.signal);
      return result === null ? null : new Done({ n: result });
    })
    .step("end", { on: collect(Done, options as { settle?: false }), emits: StopEvent }, async (all) => {
      const settled = all as unknown as readonly (Done | Settled<Done>)[];
      return stopped(settled.map((member) => ("status" in member ? summary(member) : member.n)));
    })
    .build();
}

/** A batch whose members end one after the other, the last one first. */
function backwards({ count, options = {} }: Omit<Behaviour, "work">) {
  const gates = Array.from({ length: count }, () => gate());
  let left = count;
  const next = (): void => gates[--left]?.open();
  const flow = batchFlow({ count, options, work: async (n) => gates[n]!.promise.then(() => n) });
  flow.on("step.completed", ({ step }) => void (step === "work" && next()));
  next();
  return flow;
}

function summary(member: Settled<Done>): string {
  const what =
    member.status === "ok"
      ? member.event.n
      : member.status === "failed"
        ? (member.failure.error as Error).message
        : "-";
  return `${member.index} ${member.status} ${what}`;
}

describe("an array", () => {
  it("is one batch, in the order it was emitted", async () => {
    expect(await backwards({ count: 4 }).run()).toEqual([0, 1, 2, 3]);
  });

  it('is in the order of arrival with `order: "arrived"`', async () => {
    expect(await backwards({ count: 3, options: { order: "arrived" } }).run()).toEqual([2, 1, 0]);
  });

  it("that is empty fires its collect step with nothing", async () => {
    expect(await batchFlow({ count: 0, work: async (n) => n }).run()).toEqual([]);
  });

  it("leaves out members that came to nothing", async () => {
    expect(await batchFlow({ count: 4, work: async (n) => (n % 2 === 0 ? n : null) }).run()).toEqual([0, 2]);
    expect(await batchFlow({ count: 4, work: async () => null }).run()).toEqual([]);
  });

  it("gives every collect step its own batch", async () => {
    const flow = defineWorkflow("several")
      .step("start", { on: StartEvent, emits: many(Item, Done) }, async () => [new Item({ n: 1 }), new Done({ n: 2 })])
      .step("sum", { on: collect([Item, Done]), emits: Whole }, async (all) => new Whole({ n: 1, parts: numbers(all) }))
      .step("count", { on: collect(Item), emits: Whole }, async (all) => new Whole({ n: 2, parts: [all.length] }))
      .step("end", { on: Whole, emits: StopEvent, workers: 1 }, async (ev, ctx) => {
        const both = await ctx.collectEvents(ev, [Whole, Whole]);
        return both && stopped(both.map(({ n, parts }) => [n, ...parts]).sort());
      })
      .build();

    expect(await flow.run()).toEqual([
      [1, 1, 2],
      [2, 1],
    ]);
  });

  it("has no stop event in it: that is returned alone", async () => {
    const flow = defineWorkflow("early")
      .step("start", { on: StartEvent, emits: [many(Item), StopEvent] }, (async () => [
        new Item({ n: 1 }),
        stopped("early"),
      ]) as never)
      .step("work", { on: Item }, async () => {})
      .build();

    expect(await rejection(flow.run())).toMatchObject({
      code: "STEP_RESULT_INVALID",
      hint: "The step returns an array of StopEvent: a stop event is returned alone.",
    });
  });
});

describe("`take`", () => {
  it("fires at the n-th arrival, and the rest still runs", async () => {
    const held = gate();
    const finished: number[] = [];
    const flow = batchFlow({
      count: 3,
      options: { take: 2 },
      work: async (n) => {
        if (n === 0) await held.promise;
        finished.push(n);
        return n;
      },
    });
    flow.on("run.completed", () => held.open());

    expect(await flow.run()).toEqual([1, 2]);
    await settle();
    expect(finished).toEqual([1, 2, 0]);
  });

  it('calls the rest off with `rest: "cancel"`', async () => {
    const aborted: number[] = [];
    const flow = defineWorkflow("race")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => items(3))
      .step("work", { on: Item, emits: Done, workers: 2, waits: Answer }, async ({ n }, ctx) => {
        if (n === 1) return new Done({ n });
        ctx.signal.addEventListener("abort", () => aborted.push(n));
        await new Promise(() => {});
        return null;
      })
      .step(
        "end",
        { on: collect(Done, { take: 1, rest: "cancel" }), emits: Whole },
        async (all) => new Whole({ n: all[0]!.n, parts: [] }),
      )
      .step("after", { on: Whole, emits: StopEvent }, async ({ n }) => stopped(n))
      .build();

    expect(await flow.run()).toBe(1);
    expect(aborted).toContain(0);
  });

  it("of more than there are fires at the end", async () => {
    expect(await batchFlow({ count: 2, options: { take: 5 }, work: async (n) => n }).run()).toEqual([0, 1]);
  });
});

describe("`settle`", () => {
  const work = async (n: number): Promise<number | null> => {
    if (n === 1) throw new Error("broken");
    return n === 2 ? null : n;
  };

  it("gives each member what became of it", async () => {
    expect(await batchFlow({ count: 4, options: { settle: true }, work }).run()).toEqual([
      "0 ok 0",
      "1 failed broken",
      "2 empty -",
      "3 ok 3",
    ]);
  });

  it("survives a restore in the middle", async () => {
    const flow = defineWorkflow("settling")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => items(3))
      .step("work", { on: Item, emits: Done, waits: Answer }, async ({ n }, ctx) => {
        if (n === 2) await ctx.waitForEvent(Answer);
        if (n === 1) throw new TypeError("broken");
        return new Done({ n });
      })
      .step("end", { on: collect(Done, { settle: true }), emits: StopEvent }, async (all) => stopped(all.map(summary)))
      .build();
    const first = flow.run();
    await waiting(first);

    const second = flow.resume(reload(flow, first.context));
    await second.sendEvent(new Answer({ n: 2 }));

    expect(await second).toEqual(["0 ok 0", "1 failed broken", "2 ok 2"]);
  });

  it("without it, a member that fails for good fails the run", async () => {
    expect((await rejection(batchFlow({ count: 4, work }).run())).message).toBe("broken");
  });
});

describe("a batch inside a batch", () => {
  function nested(partsOf: (n: number) => number) {
    return defineWorkflow("nested")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => items(3))
      .step("split", { on: Item, emits: many(Part) }, async ({ n }) =>
        Array.from({ length: 2 }, (_, part) => new Part({ n, part })),
      )
      .step("work", { on: Part, emits: Done }, async ({ n, part }) =>
        part < partsOf(n) ? new Done({ n: n * 10 + part }) : null,
      )
      .step("inner", { on: collect(Done), emits: Whole }, async (all) =>
        all.length === 0 ? null : new Whole({ n: all.length, parts: numbers(all) }),
      )
      .step("outer", { on: collect(Whole), emits: StopEvent }, async (all) => stopped(all.map(({ parts }) => parts)))
      .build();
  }

  it("is collected per element of the outer one", async () => {
    expect(await nested(() => 2).run()).toEqual([
      [0, 1],
      [10, 11],
      [20, 21],
    ]);
  });

  it("may drop all of its members, and the outer one goes on with the rest", async () => {
    expect(await nested((n) => n).run()).toEqual([[10], [20, 21]]);
    expect(await nested(() => 0).run()).toEqual([]);
  });

  it("is in one snapshot with it", async () => {
    const flow = defineWorkflow("deep")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => items(2))
      .step("split", { on: Item, emits: many(Part) }, async ({ n }) => [0, 1].map((part) => new Part({ n, part })))
      .step("work", { on: Part, emits: Done, waits: Answer }, async ({ n, part }, ctx) => {
        const { n: answer } = await ctx.waitForEvent(Answer, { where: { n: n * 10 + part } });
        return new Done({ n: answer });
      })
      .step("inner", { on: collect(Done), emits: Whole }, async (all) => new Whole({ n: 0, parts: numbers(all) }))
      .step("outer", { on: collect(Whole), emits: StopEvent }, async (all) => stopped(all.map(({ parts }) => parts)))
      .build();
    let handler = flow.run();
    for (const n of [11, 0, 10, 1]) {
      await waiting(handler);
      handler = flow.resume(reload(flow, handler.context));
      await handler.sendEvent(new Answer({ n }));
    }

    expect(await handler).toEqual([
      [0, 1],
      [10, 11],
    ]);
  });
});

describe("an error handler in a batch", () => {
  it("gives its event back to the batch, at the place of the member that failed", async () => {
    const flow = defineWorkflow("recovering")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => items(3))
      .step("work", { on: Item, emits: Done }, async ({ n }) => {
        if (n === 1) throw new Error("broken");
        return new Done({ n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (all) => stopped(numbers(all)))
      .catchError("recover", { steps: ["work"], emits: Done }, async (ev) => new Done({ n: -(ev.input as Item).n }))
      .build();

    expect(await flow.run()).toEqual([0, -1, 2]);
  });

  it("of a step that opens an inner batch gives its event to the outer one", async () => {
    const flow = defineWorkflow("skipping")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => items(3))
      .step("split", { on: Item, emits: many(Part) }, async ({ n }) => {
        if (n === 1) throw new Error("broken");
        return [0, 1].map((part) => new Part({ n, part }));
      })
      .step("work", { on: Part, emits: Done }, async ({ n, part }) => new Done({ n: n * 10 + part }))
      .step("inner", { on: collect(Done), emits: Whole }, async (all) => new Whole({ n: 0, parts: numbers(all) }))
      .step("outer", { on: collect([Whole, Skipped]), emits: StopEvent }, async (all) =>
        stopped(all.map((one) => (Whole.is(one) ? one.parts : "skipped"))),
      )
      .catchError("skip", { steps: ["split"], emits: Skipped }, async (ev) => new Skipped({ n: (ev.input as Item).n }))
      .build();

    expect(await flow.run()).toEqual([[0, 1], "skipped", [20, 21]]);
  });
});

describe("a batch with delayed work in it", () => {
  it("stays open over the delay of a retry", async () => {
    let failures = 1;
    const flow = defineWorkflow("delayed")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => items(2))
      .step("work", { on: Item, emits: Done, retry: retryPolicy({ wait: wait.fixed("1m") }) }, async ({ n }) => {
        if (n === 1 && failures-- > 0) throw new Error("later");
        return new Done({ n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (all) => stopped(numbers(all)))
      .build();
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    await waiting(handler);

    await clock.advance(60_000);

    expect(await handler).toEqual([0, 1]);
  });
});
