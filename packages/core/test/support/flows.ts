/**
 * Small workflows, one for each thing that a run can do. Their results do not depend on time, chance or the order of workers, and
 * count what was done: a run that does something twice ends with another result.
 */
import * as z from "zod";
import {
  collect,
  defineWorkflow,
  ExternalEvent,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  join,
  keyed,
  many,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  type Workflow,
  type WorkflowEvent,
  wait,
} from "../../src/index.js";
import { callingFlows } from "./calling-flows.js";
import { finishingFlows } from "./finishing-flows.js";
import { sharingFlow } from "./sharing-flow.js";

export interface Flow {
  readonly name: string;
  /** A new instance, and what it did outside the run since. */
  make(): MadeFlow;
  readonly input?: Readonly<Record<string, unknown>>;
  /** The fields that answer a prompt; null to let it time out. */
  readonly answer?: (prompt: WorkflowEvent) => Readonly<Record<string, unknown>> | null;
  /** Its children change its state: its own ticks alone do not give it. */
  readonly sharesStore?: true;
  /** Sent when the run waits for neither a prompt nor a time. */
  readonly send?: () => WorkflowEvent;
}

export interface MadeFlow {
  readonly workflow: Workflow;
  readonly children?: readonly Workflow[];
  /** Calls of `ctx.run`, by key. */
  readonly effects?: Map<string, number>;
}

class Item extends event("Item", { n: z.number() }) {}
class Left extends event("Left", { n: z.number() }) {}
class Right extends event("Right", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
class Summed extends event("Summed", { n: z.number() }) {}
class Shown extends event("Shown", { n: z.number() }) {}
class Rich extends event("Rich", { at: z.date(), tags: z.set(z.string()), by: z.map(z.string(), z.bigint()) }) {}
class Ask extends InputRequiredEvent.define("Ask", { id: z.number() }) {}
class Answer extends HumanResponseEvent.define("Answer", { id: z.number(), text: z.string() }) {}
class Poke extends ExternalEvent.define("Poke", { n: z.number() }) {}

const stopped = <Result>(result: Result): StopEvent<Result> => new StopEvent({ result });
const items = (count: number): Item[] => Array.from({ length: count }, (_, n) => new Item({ n }));
const counting = { state: { edits: z.number().default(0) } };
const sum = (all: readonly { readonly n: number }[]): number => all.reduce((total, one) => total + one.n, 0);
const thrice = retryPolicy({ wait: wait.fixed("20ms"), stop: stop.afterAttempts(3) });

function flow(name: string, make: () => MadeFlow | Workflow, rest: Omit<Flow, "name" | "make"> = {}): Flow {
  return {
    name,
    ...rest,
    make() {
      const made = make();
      return "workflow" in made ? made : { workflow: made };
    },
  };
}

const answerAll = {
  answer: (prompt: WorkflowEvent) => ({
    id: (prompt as unknown as { id: number }).id,
    text: `to ${(prompt as unknown as { id: number }).id}`,
  }),
};

export const flows: readonly Flow[] = [
  flow("a chain with edits", () =>
    defineWorkflow("chain", counting)
      .step("first", { on: StartEvent, emits: Left }, async (_ev, ctx) => {
        await ctx.store.editState((state) => void state.edits++);
        return new Left({ n: 1 });
      })
      .step("second", { on: Left, emits: Right }, async (ev, ctx) => {
        const edits = await ctx.store.editState((state) => ++state.edits);
        await ctx.store.set("edits", edits + 10);
        return new Right({ n: ev.n + edits });
      })
      .step("third", { on: Right, emits: StopEvent }, async (ev, ctx) => stopped([ev.n, await ctx.store.get("edits")]))
      .build(),
  ),

  flow(
    "branches and a loop",
    () =>
      defineWorkflow("loop", counting)
        .step("begin", { on: StartEvent, emits: Item }, (ev) => new Item({ n: Number(ev.get("n")) }))
        .step("even", { on: Item, emits: [Left, Right, StopEvent] }, async (ev, ctx) => {
          const edits = await ctx.store.editState((state) => ++state.edits);
          if (ev.n === 1 || edits > 50) return stopped(edits);
          return ev.n % 2 === 0 ? new Left({ n: ev.n }) : new Right({ n: ev.n });
        })
        .step("halve", { on: Left, emits: Item }, (ev) => new Item({ n: ev.n / 2 }))
        .step("triple", { on: Right, emits: Item }, (ev) => new Item({ n: ev.n * 3 + 1 }))
        .build(),
    { input: { n: 6 } },
  ),

  flow("a fan-out with two workers", () =>
    defineWorkflow("fan-out", counting)
      .step("split", { on: StartEvent, emits: many(Item) }, () => items(5))
      .step("work", { on: Item, emits: Done, workers: 2 }, async (ev, ctx) => {
        await ctx.store.editState((state) => void state.edits++);
        return new Done({ n: ev.n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (all, ctx) =>
        stopped([all.map((done) => done.n), await ctx.store.get("edits")]),
      )
      .build(),
  ),

  flow("an empty fan-out", () =>
    defineWorkflow("empty")
      .step("split", { on: StartEvent, emits: many(Done) }, () => items(0).map(({ n }) => new Done({ n })))
      .step("end", { on: collect(Done), emits: StopEvent }, (all) => stopped(all.length))
      .build(),
  ),

  flow("a generator", () =>
    defineWorkflow("generator", counting)
      .step("split", { on: StartEvent, emits: many(Item) }, async function* (_ev, ctx) {
        for (const item of items(3)) {
          await ctx.store.editState((state) => void state.edits++);
          yield item;
        }
        yield keyed("last", new Item({ n: 3 })) as never;
      })
      .step("work", { on: Item, emits: Done, workers: 1 }, async (ev, ctx) => {
        await ctx.store.editState((state) => void (state.edits += 10));
        return new Done({ n: ev.n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (all, ctx) =>
        stopped([all.map((done) => done.n), await ctx.store.get("edits")]),
      )
      .build(),
  ),

  flow("a fan-out in a fan-out", () =>
    defineWorkflow("nested")
      .step("groups", { on: StartEvent, emits: many(Item) }, () => items(3))
      .step("members", { on: Item, emits: many(Left) }, (ev) =>
        items(ev.n).map(({ n }) => new Left({ n: ev.n * 10 + n })),
      )
      .step("work", { on: Left, emits: Right }, (ev) => new Right({ n: ev.n }))
      .step("inner", { on: collect(Right), emits: Summed }, (all) => new Summed({ n: sum(all) }))
      .step("outer", { on: collect(Summed), emits: StopEvent }, (all) => stopped(all.map((summed) => summed.n)))
      .build(),
  ),

  flow("a join in each element", () =>
    defineWorkflow("join")
      .step("split", { on: StartEvent, emits: many(Item) }, () => items(3))
      .step("fork", { on: Item, emits: [Left, Right] }, ({ n }, ctx) => {
        ctx.sendEvent(new Left({ n }));
        ctx.sendEvent(new Right({ n: n * 10 }), { delay: 30 - n * 10 });
      })
      .step(
        "pair",
        { on: join({ left: Left, right: Right }), emits: Done },
        ({ left, right }) => new Done({ n: left.n + right.n }),
      )
      .step("end", { on: collect(Done), emits: StopEvent }, (all) => stopped(all.map((done) => done.n)))
      .build(),
  ),

  flow("a join by a field, over two fan-outs", () =>
    defineWorkflow("join-by")
      .step("start", { on: StartEvent, emits: [Item, Summed] }, (_ev, ctx) => {
        ctx.sendEvent(new Item({ n: 3 }));
        ctx.sendEvent(new Summed({ n: 3 }));
      })
      .step("lefts", { on: Item, emits: many(Left) }, (ev) => items(ev.n).map(({ n }) => new Left({ n })))
      .step("rights", { on: Summed, emits: many(Right) }, async (ev, ctx) => {
        await ctx.sleep("1s");
        return items(ev.n).map(({ n }) => new Right({ n: ev.n - 1 - n }));
      })
      .step(
        "pair",
        { on: join({ left: Left, right: Right }, { by: "n" }), emits: StopEvent, workers: 1 },
        async ({ left, right }, ctx) => {
          const pairs = await ctx.store.editState(
            (state) => (state["pairs"] = [...((state["pairs"] as unknown[]) ?? []), [left.n, right.n]]),
          );
          return pairs.length === 3
            ? stopped([...(pairs as [number, number][])].sort(([one], [other]) => one - other))
            : null;
        },
      )
      .build(),
  ),

  flow(
    "prompts, one after the other",
    () =>
      defineWorkflow("prompts", counting)
        .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
          await ctx.store.editState((state) => void state.edits++);
          const first = await ctx.waitForEvent(Answer, { prompt: new Ask({ id: 1 }), where: { id: 1 } });
          await ctx.store.editState((state) => void state.edits++);
          const second = await ctx.waitForEvent(Answer, { prompt: new Ask({ id: 2 }), key: "second" });
          return stopped([first.text, second.text, await ctx.store.get("edits")]);
        })
        .build(),
    answerAll,
  ),

  flow(
    "waits at the same time, one of which times out",
    () =>
      defineWorkflow("waits")
        .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
          const asked = [1, 2, 3].map((id) =>
            ctx
              .waitForEvent(Answer, { prompt: new Ask({ id }), where: { id }, key: String(id), timeout: `${id}s` })
              .then(
                (answer) => answer.text,
                (error) => error.code,
              ),
          );
          return stopped(await Promise.all(asked));
        })
        .build(),
    { answer: (prompt) => ((prompt as Ask).id === 2 ? null : { id: (prompt as Ask).id, text: "yes" }) },
  ),

  flow(
    "a prompt that a step emits",
    () =>
      defineWorkflow("emitted")
        .step("ask", { on: StartEvent, emits: Ask }, () => new Ask({ id: 7 }))
        .step("end", { on: Answer, emits: StopEvent }, (ev) => stopped(ev.text))
        .build(),
    answerAll,
  ),

  flow(
    "events from outside, kept and waited for",
    () =>
      defineWorkflow("outside", counting)
        .step("wait", { on: StartEvent, emits: Item, waits: Poke }, async (_ev, ctx) => {
          const first = await ctx.waitForEvent(Poke);
          await ctx.sleep("1s");
          const second = await ctx.waitForEvent(Poke);
          return new Item({ n: first.n + second.n });
        })
        .step("end", { on: Item, emits: StopEvent }, (ev) => stopped(ev.n))
        .build(),
    { send: () => new Poke({ n: 5 }) },
  ),

  flow("events kept from a fan-out that is over", () =>
    defineWorkflow("kept")
      .step("split", { on: StartEvent, emits: many(Item) }, () => items(2))
      .step("work", { on: Item, emits: [Left, Done] }, ({ n }, ctx) => {
        ctx.sendEvent(new Left({ n }));
        return new Done({ n });
      })
      .step("end", { on: collect(Done), emits: StopEvent, waits: Left }, async (_all, ctx) => {
        await ctx.sleep("1s");
        const left = [await ctx.waitForEvent(Left), await ctx.waitForEvent(Left)];
        return stopped(left.map((kept) => kept.n));
      })
      .build(),
  ),

  flow(
    "waits of two items for one event, the younger item first",
    () =>
      defineWorkflow("oldest")
        .step("split", { on: StartEvent, emits: many(Item) }, () => items(2))
        .step("wait", { on: Item, emits: Done, waits: Poke }, async ({ n }, ctx) => {
          if (n === 0) await ctx.sleep("1s");
          await ctx.waitForEvent(Poke);
          await ctx.store.editState((state) => void (state["order"] = [...((state["order"] as number[]) ?? []), n]));
          return new Done({ n });
        })
        .step("end", { on: collect(Done), emits: StopEvent }, async (_all, ctx) =>
          stopped(await ctx.store.get("order")),
        )
        .build(),
    { send: () => new Poke({ n: 1 }) },
  ),

  flow("retries with a memory", () => {
    const effects = new Map<string, number>();
    const workflow = defineWorkflow("retries", counting)
      .step("work", { on: StartEvent, emits: [StopEvent, Item], retry: thrice }, async (_ev, ctx) => {
        await ctx.store.editState((state) => void state.edits++);
        const paid = await ctx.run("pay", ({ idempotencyKey }) => {
          effects.set("pay", (effects.get("pay") ?? 0) + 1);
          return { idempotencyKey, atAll: new Map([["paid", true]]) };
        });
        ctx.sendEvent(new Item({ n: 1 }), { immediate: true });
        await ctx.sleep("5s");
        if (ctx.retryInfo().retry < 2) throw new Error(`attempt ${ctx.retryInfo().retry} failed`);
        return stopped([paid.idempotencyKey, paid.atAll.get("paid"), await ctx.store.get("edits")]);
      })
      .step(
        "count",
        { on: Item },
        async (_ev, ctx) => void (await ctx.store.editState((state) => void (state.edits += 100))),
      )
      .build();
    return { workflow, effects };
  }),

  flow("a failure that is caught", () =>
    defineWorkflow("caught")
      .step("split", { on: StartEvent, emits: many(Item) }, () => items(3))
      .step("work", { on: Item, emits: Done, retry: thrice }, ({ n }) => {
        if (n === 1) throw new RangeError("one is too many");
        return new Done({ n });
      })
      .catchError(
        "rescue",
        { steps: ["work"], emits: Done },
        (ev) => new Done({ n: ((ev.input as Item).n + 10) * ev.attempts }),
      )
      .step("end", { on: collect(Done), emits: StopEvent }, (all) => stopped(all.map((done) => done.n)))
      .build(),
  ),

  flow("a batch that settles", () =>
    defineWorkflow("settle")
      .step("split", { on: StartEvent, emits: many(Item) }, () => items(4))
      .step("work", { on: Item, emits: Done, retry: thrice }, async ({ n }, ctx) => {
        if (n === 1) throw new Error("one failed");
        if (n === 2) return null;
        if (n === 3) await ctx.sleep("1s");
        return new Done({ n });
      })
      .step("end", { on: collect(Done, { settle: true }), emits: StopEvent }, (all) => {
        return stopped(
          all.map((one) =>
            one.status === "failed" ? [one.index, "failed", one.failure.attempts] : [one.index, one.status],
          ),
        );
      })
      .build(),
  ),

  flow("the first two of a batch, the rest finishes", () =>
    defineWorkflow("take-finish", counting)
      .step("split", { on: StartEvent, emits: many(Item) }, () => items(4))
      .step("work", { on: Item, emits: Done }, async ({ n }, ctx) => {
        await ctx.sleep(1000 - n);
        await ctx.store.editState((state) => void state.edits++);
        return new Done({ n });
      })
      .step("some", { on: collect(Done, { take: 2, order: "arrived" }), emits: Summed }, async (all, ctx) => {
        await ctx.sleep("10s");
        return new Summed({ n: all.length });
      })
      .step("end", { on: Summed, emits: StopEvent }, async (ev, ctx) => stopped([ev.n, await ctx.store.get("edits")]))
      .build(),
  ),

  flow("the first two of a generator, the rest is cancelled", () =>
    defineWorkflow("take-cancel")
      .step("split", { on: StartEvent, emits: many(Item) }, async function* () {
        yield* items(6);
      })
      .step("work", { on: Item, emits: Done }, async ({ n }, ctx) => {
        if (n > 1) await ctx.sleep("1h");
        return new Done({ n });
      })
      .step(
        "some",
        { on: collect(Done, { take: 2, rest: "cancel" }), emits: Summed },
        (all) => new Summed({ n: sum(all) }),
      )
      .step("end", { on: Summed, emits: StopEvent }, (ev) => stopped(ev.n))
      .build(),
  ),

  flow("delayed sends", () =>
    defineWorkflow("delayed", counting)
      .step("split", { on: StartEvent, emits: many(Item) }, () => items(2))
      .step("send", { on: Item, emits: [Left, Right] }, async ({ n }, ctx) => {
        ctx.sendEvent(new Left({ n }), { delay: "2s" });
        ctx.sendEvent(new Right({ n }), { delay: "1s", scope: "run" });
        await ctx.sleep("3s");
        ctx.sendEvent(new Left({ n: n + 10 }), { delay: "1s", step: "done" });
      })
      .step("count", { on: Right }, async (_ev, ctx) => void (await ctx.store.editState((state) => void state.edits++)))
      .step("done", { on: Left, emits: Done }, ({ n }) => new Done({ n }))
      .step("end", { on: collect(Done), emits: StopEvent }, async (all, ctx) =>
        stopped([all.map((done) => done.n).sort(), await ctx.store.get("edits")]),
      )
      .build(),
  ),

  flow("collected events", () =>
    defineWorkflow("sets")
      .step("start", { on: StartEvent, emits: many(Left, Right) }, () => [
        new Left({ n: 1 }),
        new Left({ n: 2 }),
        new Right({ n: 30 }),
        new Right({ n: 40 }),
      ])
      .step("gather", { on: [Left, Right], emits: Done, workers: 1 }, async (ev, ctx) => {
        const set = await ctx.collectEvents(ev, [Left, Right]);
        return set && new Done({ n: set[0].n + set[1].n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, (all) => stopped(sum(all)))
      .build(),
  ),

  flow(
    "children that ask, sleep and fail",
    () => {
      const child = defineWorkflow("child", counting)
        .step("work", { on: StartEvent, emits: Item, waits: Answer, streams: [Ask, Shown] }, async (ev, ctx) => {
          const id = Number(ev.get("id"));
          ctx.writeEventToStream(new Shown({ n: id }));
          await ctx.store.editState((state) => void state.edits++);
          await ctx.waitForEvent(Answer, { prompt: new Ask({ id }) });
          return new Item({ n: id });
        })
        .step("end", { on: Item, emits: StopEvent }, async (ev, ctx) => {
          await ctx.sleep("1s");
          if (ev.n === 2) throw new Error("two failed");
          return stopped(ev.n * 10 + (await ctx.store.get("edits")));
        })
        .build();
      const workflow = defineWorkflow("parent", { children: { child } })
        .step("split", { on: StartEvent, emits: many(Left) }, () => [1, 2].map((n) => new Left({ n })))
        .step("call", { on: Left, emits: Done, workers: 1 }, async ({ n }, ctx) => {
          const result = await ctx
            .runChild(child, { id: n })
            .catch((error: { code: string }) => (error.code === "CHILD_FAILED" ? -1 : -2));
          return new Done({ n: result });
        })
        .step("end", { on: collect(Done), emits: StopEvent }, (all) => stopped(all.map((done) => done.n)))
        .build();
      return { workflow, children: [child] };
    },
    answerAll,
  ),

  sharingFlow,
  ...finishingFlows,
  ...callingFlows,

  flow("values that JSON does not have", () =>
    defineWorkflow("rich", {
      state: { at: z.date().default(new Date(0)), seen: z.map(z.string(), z.set(z.number())).default(() => new Map()) },
    })
      .step("start", { on: StartEvent, emits: Rich }, async (_ev, ctx) => {
        await ctx.store.editState((state) => {
          state.seen.set("one", new Set([1]));
          state.at = new Date(86_400_000);
        });
        return new Rich({ at: new Date(5), tags: new Set(["a", "b"]), by: new Map([["big", 2n ** 70n]]) });
      })
      .step("end", { on: Rich, emits: StopEvent }, async (ev, ctx) => {
        await ctx.store.editState((state) => void state.seen.get("one")?.add(2));
        const { at, seen } = await ctx.store.getState();
        return stopped([
          ev.at.getTime(),
          [...ev.tags],
          String(ev.by.get("big")),
          at.getTime(),
          [...(seen.get("one") ?? [])],
        ]);
      })
      .build(),
  ),

  flow("a run that fails", () =>
    defineWorkflow("fails")
      .step("split", { on: StartEvent, emits: many(Item) }, () => items(2))
      .step("work", { on: Item, emits: Done, retry: thrice }, ({ n }) => {
        if (n === 1) throw new Error("one failed");
        return new Done({ n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, (all) => stopped(all.length))
      .build(),
  ),
];
