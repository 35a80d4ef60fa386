/** Workflows with planted races, and some without. */
import {
  type Context,
  collect,
  defineWorkflow,
  ExternalEvent,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  join,
  many,
  StartEvent,
  StopEvent,
  type Workflow,
} from "millrace";
import * as z from "zod";

class Item extends event("Item", { n: z.number() }) {}
class Other extends event("Other", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
class Ask extends InputRequiredEvent.define("Ask", {}) {}
class Reply extends HumanResponseEvent.define("Reply", { text: z.string() }) {}
class Poke extends ExternalEvent.define("Poke", {}) {}

const state = {
  count: z.number().default(0),
  names: z.array(z.number()).default([]),
  user: z.object({ name: z.string(), age: z.number() }).default({ name: "", age: 0 }),
};
interface State {
  count: number;
  names: number[];
  user: { name: string; age: number };
}
export type Ctx = Context<State>;

interface Shape {
  readonly count?: number;
  readonly workers?: number;
  readonly order?: "emitted" | "arrived";
  readonly take?: number;
}

/** So many attempts at the same time. */
export function parallel(
  work: (n: number, ctx: Ctx) => unknown,
  { count = 2, workers = 10, ...gather }: Shape = {},
): Workflow {
  return defineWorkflow("flow", { state })
    .step("split", { on: StartEvent, emits: many(Item) }, () =>
      Array.from({ length: count }, (_, n) => new Item({ n })),
    )
    .step("work", { on: Item, emits: Done, workers }, async ({ n }, ctx) => {
      await work(n, ctx as never);
      return new Done({ n });
    })
    .step("end", { on: collect(Done, gather), emits: StopEvent }, (all) => {
      return new StopEvent({ result: all.map(({ n }) => n).join("") });
    })
    .build() as never;
}

/** A step that waits, and one that works meanwhile. */
function waiting(wait: (ctx: Ctx) => Promise<unknown>, work: (ctx: Ctx) => unknown = () => {}): Workflow {
  return defineWorkflow("flow", { state })
    .step("split", { on: StartEvent, emits: [many(Item), many(Other)] }, () => [
      new Item({ n: 0 }),
      new Other({ n: 1 }),
    ])
    .step("wait", { on: Item, emits: Done, waits: [Reply, Poke], streams: Ask }, async (_ev, ctx) => {
      const answer = await wait(ctx as never);
      await ctx.store.set("user.name", String(answer));
      return new Done({ n: 0 });
    })
    .step("work", { on: Other, emits: Done }, async (_ev, ctx) => {
      await work(ctx as never);
      return new Done({ n: 1 });
    })
    .step("end", { on: collect(Done), emits: StopEvent }, () => new StopEvent({ result: null }))
    .build() as never;
}

const pairing = () =>
  defineWorkflow("flow", { state })
    .step("split", { on: StartEvent, emits: [Item, Other] }, (_ev, ctx) => {
      for (const n of [1, 2]) ctx.sendEvent(new Item({ n }));
      return new Other({ n: 0 });
    })
    .step("work", { on: Item, emits: Done }, ({ n }) => new Done({ n }))
    .step("pair", { on: join({ done: Done, other: Other }), emits: StopEvent }, ({ done }) => {
      return new StopEvent({ result: done.n });
    })
    .build() as unknown as Workflow;

/** Work whose results stand in line for one worker. */
const queued = () =>
  defineWorkflow("flow", { state })
    .step("split", { on: StartEvent, emits: many(Item) }, () => [0, 1, 2].map((n) => new Item({ n })))
    .step("work", { on: Item, emits: Other }, ({ n }) => new Other({ n }))
    .step("write", { on: Other, emits: Done, workers: 1 }, async ({ n }, ctx) => {
      await ctx.store.editState((draft) => void draft.names.push(n));
      return new Done({ n });
    })
    .step("end", { on: collect(Done), emits: StopEvent }, () => new StopEvent({ result: null }))
    .build() as unknown as Workflow;

const child = defineWorkflow("child", { state })
  .step("add", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await ctx.store.set("count", (await ctx.store.get("count")) + 1);
    return new StopEvent({ result: null });
  })
  .build();

const withChild = (store: "own" | "shared") =>
  defineWorkflow("flow", { state, children: { child } })
    .step("split", { on: StartEvent, emits: [many(Item), many(Other)] }, () => [
      new Item({ n: 0 }),
      new Other({ n: 1 }),
    ])
    .step("call", { on: Item, emits: Done }, async (_ev, ctx) => {
      await ctx.runChild("child", {}, { store });
      return new Done({ n: 0 });
    })
    .step("work", { on: Other, emits: Done }, async (_ev, ctx) => {
      await ctx.store.set("count", (await ctx.store.get("count")) + 1);
      return new Done({ n: 1 });
    })
    .step("end", { on: collect(Done), emits: StopEvent }, () => new StopEvent({ result: null }))
    .build() as unknown as Workflow;

const generating = (order: "emitted" | "arrived") =>
  defineWorkflow("flow", { state })
    .step("split", { on: StartEvent, emits: many(Item) }, async function* () {
      for (const n of [0, 1]) yield new Item({ n });
    })
    .step("work", { on: Item, emits: Done }, ({ n }) => new Done({ n }))
    .step("end", { on: collect(Done, { order }), emits: StopEvent }, (all) => {
      return new StopEvent({ result: all.map(({ n }) => n).join("") });
    })
    .build() as unknown as Workflow;

/** Both send to one worker. */
const sending = () =>
  defineWorkflow("flow", { state })
    .step("split", { on: StartEvent, emits: many(Item) }, () => [0, 1].map((n) => new Item({ n })))
    .step("work", { on: Item, emits: [Other, Done] }, ({ n }, ctx) => {
      ctx.sendEvent(new Other({ n }));
      return new Done({ n });
    })
    .step("write", { on: Other, workers: 1 }, async ({ n }, ctx) => {
      await ctx.store.editState((draft) => void draft.names.push(n));
    })
    .step("end", { on: collect(Done), emits: StopEvent }, () => new StopEvent({ result: null }))
    .build() as unknown as Workflow;

const twoEnds = () =>
  defineWorkflow("flow", { state })
    .step("split", { on: StartEvent, emits: [many(Item), many(Other)] }, () => [
      new Item({ n: 0 }),
      new Other({ n: 1 }),
    ])
    .step("one", { on: Item, emits: StopEvent }, () => new StopEvent({ result: "one" }))
    .step("two", { on: Other, emits: StopEvent }, () => new StopEvent({ result: "two" }))
    .build() as unknown as Workflow;

export const increment = async ({ store }: Ctx): Promise<void> => store.set("count", (await store.get("count")) + 1);
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export type Case = readonly [name: string, make: () => Workflow, kinds: string[], options?: object | undefined];

export const races: Case[] = [
  [
    "a race of an answer and a sleep",
    () =>
      waiting(async (ctx) => {
        const { winner } = await ctx.race({
          told: (signal) => ctx.waitForEvent(Reply, { prompt: new Ask(), signal }),
          late: (signal) => ctx.sleep("1h", { signal }),
        });
        return winner;
      }),
    ["order"],
    { answers: { Ask: { text: "yes" } } },
  ],
  [
    "a race of a call and a sleep",
    () =>
      waiting(async (ctx) => {
        const { winner } = await ctx.race({
          done: () => ctx.run("work", () => 1),
          late: (signal) => ctx.sleep("1h", { signal }),
        });
        return winner;
      }),
    ["order"],
    undefined,
  ],
  [
    "a question and its time",
    () =>
      waiting((ctx) =>
        ctx.ask({ title: "May it?", schema: { may: z.boolean() }, timeout: "1h" }).then(
          () => "told",
          () => "late",
        ),
      ),
    ["order"],
    { answers: { "millrace.question": { may: true } } },
  ],
  [
    "a retry and work",
    () => {
      let failures = 0;
      return waiting(
        (ctx) =>
          ctx
            .run(
              "call",
              () => {
                if (failures++ % 2 === 0) throw new Error("busy");
                return 1;
              },
              { retry: { next: () => 1_000 } },
            )
            .then(() => ctx.store.set("count", 1)),
        (ctx) => ctx.run("call", () => 2).then(() => ctx.store.set("count", 2)),
      );
    },
    ["order"],
    undefined,
  ],
  ["a child that shares the state", () => withChild("shared"), ["lostUpdate", "order"], undefined],
  ["elements of a generator that arrive", () => generating("arrived"), ["order"], undefined],
  ["events that are sent", sending, ["order"], undefined],
  // Kotlin/kotlinx.coroutines#1630
  ["get, then set", () => parallel((_n, ctx) => increment(ctx)), ["lostUpdate", "order"]],
  ["three of them", () => parallel((_n, ctx) => increment(ctx), { count: 3 }), ["lostUpdate", "order"]],
  // mastra-ai/mastra#22319
  [
    "getState, then setState",
    () =>
      parallel(async (n, { store }) => {
        const before = await store.getState();
        await store.setState({ ...before, names: [...before.names, n] });
      }),
    ["lostUpdate", "order"],
  ],
  [
    "a field, read and written with its parent",
    () =>
      parallel(async (n, { store }) => {
        if (n === 0) await store.set("user.name", "Ada");
        else await store.set("user", { ...(await store.get("user")), age: 36 });
      }),
    ["lostUpdate", "order"],
  ],
  [
    "a call between the read and the write",
    () =>
      parallel(async (n, ctx) => {
        const count = await ctx.store.get("count");
        const more = await ctx.run(`price ${n}`, async () => later(1).then(() => 1));
        await ctx.store.set("count", count + more);
      }),
    ["lostUpdate", "order"],
  ],
  [
    "an edit between the read and the write",
    () =>
      parallel(async (n, ctx) => {
        if (n === 0) await increment(ctx);
        else await ctx.store.editState((draft) => void (draft.count += 10));
      }),
    ["lostUpdate", "order"],
  ],
  [
    "two calls of one step at the same time",
    () => parallel((_n, ctx) => Promise.all([increment(ctx), increment(ctx)]), { count: 1 }),
    ["lostUpdate", "order"],
  ],
  [
    "a scope of the context",
    () => parallel((_n, ctx) => increment(ctx.scope("library") as Ctx)),
    ["lostUpdate", "order"],
  ],
  ["the last one wins", () => parallel((n, { store }) => store.set("count", n)), ["order"]],
  [
    "a list in the order of edits",
    () => parallel((n, { store }) => store.editState((s) => void s.names.push(n))),
    ["order"],
  ],
  ["arrivals at a collect", () => parallel(() => {}, { order: "arrived" }), ["order"]],
  ["the first one of a collect", () => parallel(() => {}, { take: 1 }), ["order"]],
  ["a queue of one worker", queued, ["order"]],
  ["pairs of a join", pairing, ["order"]],
  ["two ends", twoEnds, ["order"]],
  [
    "a sleep and work",
    () =>
      waiting(
        (ctx) => ctx.sleep("1s").then(() => ctx.store.set("count", 1)),
        (ctx) => ctx.store.set("count", 2),
      ),
    ["order"],
  ],
  // agentjido/jizoku#491
  [
    "an answer and its time",
    () =>
      waiting((ctx) =>
        ctx.waitForEvent(Reply, { prompt: new Ask(), timeout: "1h" }).then(
          () => "told",
          () => "late",
        ),
      ),
    ["order"],
    { answers: { Ask: { text: "yes" } } },
  ],
  [
    "an event that comes when the wait is over",
    () =>
      waiting((ctx) =>
        ctx.waitForEvent(Poke, { timeout: "1h" }).then(
          () => "poked",
          () => "late",
        ),
      ),
    ["order", "untaken"],
    { events: [new Poke()] },
  ],
  [
    "two events for one wait",
    () => waiting((ctx) => ctx.waitForEvent(Poke).then(() => "poked")),
    ["untaken"],
    { events: [new Poke(), new Poke()] },
  ],
  [
    "a read of what another has written or not",
    () =>
      parallel(async (n, { store }) => {
        if (n === 0) await store.set("count", 7);
        else await store.set("user.name", String(await store.get("count")));
      }),
    ["order"],
  ],
  [
    "one failure of two",
    () =>
      parallel(async (n, { store }) => {
        if (n === 0) await store.set("count", 7);
        else if ((await store.get("count")) === 0) throw new Error("too early");
      }),
    ["order"],
  ],
];

export const right: Case[] = [
  ["a child with a state of its own", () => withChild("own"), [], undefined],
  ["elements of a generator", () => generating("emitted"), [], undefined],
  [
    "one worker, in the order of a list",
    () => parallel((n, { store }) => store.editState((s) => void s.names.push(n)), { workers: 1, order: "arrived" }),
    [],
  ],
  ["edits that commute", () => parallel((_n, { store }) => store.editState((s) => void s.count++), { count: 3 }), []],
  [
    "one place for each",
    () =>
      parallel(async (n, { store }) => {
        if (n === 0) await store.set("count", (await store.get("count")) + 1);
        else await store.set("user.name", `${await store.get("user.name")}!`);
      }),
    [],
  ],
  ["reads", () => parallel((_n, { store }) => store.get("count"), { count: 4 }), []],
  [
    "a collect in the order of the elements",
    () => parallel((n, ctx) => ctx.run(`work ${n}`, () => n), { count: 4 }),
    [],
  ],
  ["sleeps of any length", () => parallel((n, ctx) => ctx.sleep(`${10 - n}s`), { count: 4 }), []],
  [
    "an answer",
    () => waiting((ctx) => ctx.waitForEvent(Reply, { prompt: new Ask() })),
    [],
    { answers: { Ask: { text: "yes" } } },
  ],
  // smithersai/smithers#1406, aikirun/aiki#173
  [
    "an event that may come early",
    () =>
      waiting(
        (ctx) => ctx.waitForEvent(Poke),
        (ctx) => ctx.store.get("count"),
      ),
    [],
    { events: [new Poke()] },
  ],
];
