/** A run that can never end says what it would need, and which events led to nothing. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { compileWorkflow, createRouting, createRunState, type Tick } from "../src/entries/engine.js";
import {
  Context,
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  join,
  many,
  StartEvent,
  StopEvent,
  step,
  type Workflow,
  Workflow as WorkflowClass,
  WorkflowError,
} from "../src/index.js";
import { replay } from "../src/replay/run-tree.js";
import { decodeState } from "../src/snapshot/decode.js";
import { encodeState } from "../src/snapshot/encode.js";
import { readSnapshot } from "../src/snapshot/snapshot-shape.js";
import { rejection, reload, waiting } from "./support/runs.js";

class Item extends event("Item", { n: z.number() }) {}
class Left extends event("Left", { n: z.number() }) {}
class Right extends event("Right", { n: z.number() }) {}
class Paired extends event("Paired", { n: z.number() }) {}
class Go extends HumanResponseEvent.define("Go") {}

const stopped = <Result>(result: Result) => new StopEvent({ result });

async function missingIn(flow: Workflow, input = {}): Promise<unknown> {
  const error = await rejection(flow.run(input as never));
  if (!WorkflowError.is(error, "RUN_STUCK")) throw error;
  const { missing } = error.details as { missing: string[] };
  expect(error.message).toContain(missing.join("; "));
  return missing;
}

/** Each element makes a left, and a right where `n` is even; pairs come together at the end. */
const pairs = (waits = false) =>
  defineWorkflow("pairs")
    .step("split", { on: StartEvent, emits: many(Item) }, (ev) =>
      (ev.get("items") as number[]).map((n) => new Item({ n })),
    )
    .step("fork", { on: Item, emits: [Left, Right], waits: Go }, async ({ n }, ctx) => {
      ctx.sendEvent(new Left({ n }));
      if (n % 2 === 0) ctx.sendEvent(new Right({ n }));
    })
    .step("pair", { on: join({ left: Left, right: Right }), emits: Paired }, ({ left }) => new Paired({ n: left.n }))
    .step("end", { on: collect(Paired), emits: StopEvent, waits: Go }, async (all, ctx) => {
      if (waits) await ctx.waitForEvent(Go);
      return all.length > 0 ? stopped(all.length) : null;
    })
    .build();

describe("a run that is stuck", () => {
  it("names a join that was incomplete when its fan-out closed", async () => {
    expect(await missingIn(pairs(), { items: [1, 3] })).toEqual([
      'the join "pair" got Left and nothing for right before its fan-out closed',
    ]);
  });

  it("names it also when it was stored in between", async () => {
    const flow = pairs(true);
    const handler = flow.run({ items: [1, 3] });
    await waiting(handler);

    const again = flow.resume(reload(flow, handler.context) as never);
    await waiting(again);
    await again.sendEvent(new Go());

    expect(await rejection(again)).toMatchObject({
      code: "RUN_STUCK",
      message: expect.stringContaining('the join "pair" got Left and nothing for right'),
    });
  });

  it("names an event that was taken out of the fan-out that a step collects", async () => {
    const flow = defineWorkflow("alone")
      .step("start", { on: StartEvent, emits: many(Item) }, (_ev, ctx) =>
        ctx.sendEvent(new Item({ n: 1 }), { scope: "run" }),
      )
      .step("gather", { on: collect(Item), emits: StopEvent }, (all) => stopped(all.length))
      .build();

    expect(await missingIn(flow)).toEqual([
      'Item reached the collect step "gather" outside of the fan-outs that it gathers',
    ]);
  });

  it("names it also when another step has taken the event", async () => {
    const flow = defineWorkflow("alone")
      .step("start", { on: StartEvent, emits: many(Item) }, (_ev, ctx) =>
        ctx.sendEvent(new Item({ n: 1 }), { scope: "run" }),
      )
      .step("see", { on: Item }, () => null)
      .step("gather", { on: collect(Item), emits: StopEvent }, (all) => stopped(all.length))
      .build();

    expect(await missingIn(flow)).toEqual([expect.stringContaining('Item reached the collect step "gather"')]);
  });

  it("names a step that could have fanned out and returned nothing, and the collect step behind it", async () => {
    const flow = defineWorkflow("never")
      .step("start", { on: StartEvent, emits: many(Item) }, () => null)
      .step("gather", { on: collect(Item), emits: StopEvent }, (all) => stopped(all.length))
      .build();

    expect(await missingIn(flow)).toEqual([
      'step "start", which emits many(Item), returned nothing: return [] for an empty fan-out',
      'the collect step "gather" has had no batch: no fan-out led to it',
    ]);
  });

  it.each([
    ["list", () => []],
    ["generator", async function* (): AsyncGenerator<Item> {}],
  ])("names a step whose %s was empty where no step collects", async (_what, none) => {
    const flow = defineWorkflow("empty")
      .step("start", { on: StartEvent, emits: many(Item) }, none as () => Item[])
      .step("end", { on: Item, emits: StopEvent }, () => stopped(1))
      .build();

    await expect(flow.run({})).rejects.toThrow(
      'step "start", which emits many(Item), returned no element, and no step collects them.',
    );
  });

  it("does not name a collect step that has had its batch", async () => {
    const flow = defineWorkflow("fired")
      .step("start", { on: StartEvent, emits: many(Item) }, () => [])
      .step("gather", { on: collect(Item), emits: StopEvent }, (all) => (all.length > 0 ? stopped(1) : null))
      .build();

    expect(await missingIn(flow)).toEqual([]);
  });

  it("names each step once, however many events led to nothing there", async () => {
    const flow = defineWorkflow("often")
      .step("start", { on: StartEvent, emits: [many(Left), many(Item)] }, () => [1, 2, 3].map((n) => new Left({ n })))
      .step("send", { on: Left, emits: Item }, ({ n }, ctx) => {
        for (let count = 0; count < 100; count++) ctx.sendEvent(new Item({ n }), { scope: "run" });
      })
      .step("gather", { on: collect(Item), emits: StopEvent }, (all) => (all.length > 0 ? stopped(all.length) : null))
      .build();

    expect(await missingIn(flow)).toHaveLength(1);
  });
});

describe("what a stuck run would say", () => {
  const compiled = compileWorkflow(pairs());
  const routing = createRouting(compiled.definition);
  const begin = () => createRunState({ runId: "run", workflow: "pairs", store: {} });
  const started = {
    type: "run.started",
    atMs: 0,
    timeoutMs: null,
    deadlineMs: null,
    lineage: null,
    labels: null,
  } as const;
  const ticks: Tick[] = [
    { ...started, event: new StartEvent() },
    { type: "step.completed", atMs: 1, item: 1, attempt: 1, output: [new Item({ n: 1 })], sends: null },
    {
      type: "step.completed",
      atMs: 2,
      item: 3,
      attempt: 1,
      output: null,
      sends: [{ call: "send:#0", event: new Left({ n: 1 }), step: null, dueAtMs: null, toRun: false }],
    },
  ];

  it("is in the state until a batch has come, and in its snapshot", () => {
    const [fresh, closed] = [1, 3].map((length) => replay(routing, begin(), ticks.slice(0, length)));
    const again = [fresh, closed].map((state) => {
      const snapshot = JSON.parse(JSON.stringify(encodeState(state!, compiled)));
      return decodeState(compiled, readSnapshot(snapshot));
    });

    expect(fresh?.unused).toEqual({ unfired: new Set(["end"]), leftovers: new Map() });
    expect(closed?.unused).toEqual({
      unfired: new Set(),
      leftovers: new Map([["pair", { kind: "join", step: "pair", arrived: ["Left"], missing: ["right"] }]]),
    });
    expect(again.map(({ unused }) => unused)).toEqual([fresh?.unused, closed?.unused]);
  });

  it("costs nothing in the snapshot of a run that has ended well, or whose workflow collects nothing", async () => {
    const plain = defineWorkflow("plain")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Go }, async (_ev, ctx) => {
        await ctx.waitForEvent(Go);
        return stopped(1);
      })
      .build();
    const [ended, open] = [pairs().run({ items: [1, 2] }), plain.run()];
    await Promise.all([ended, waiting(open)]);

    expect(ended.context.toDict()).not.toHaveProperty("unfired");
    expect(ended.context.toDict()).not.toHaveProperty("leftovers");
    expect(open.context.toDict()).not.toHaveProperty("unfired");
  });

  it("says nothing about batches in a run whose snapshot does not know", async () => {
    const flow = new (class extends WorkflowClass {
      start = step({ on: StartEvent, emits: many(Item) }, async (_ev, ctx) => {
        await ctx.sleep("1h");
        return null;
      });
      gather = step({ on: collect(Item), emits: StopEvent }, async (all) => stopped(all.length));
    })({ name: "older" });
    const handler = flow.run();
    await waiting(handler);
    const { unfired, ...older } = JSON.parse(JSON.stringify(handler.context.toDict()));
    older.timers[0].dueAtMs = older.items[0].calls[0].dueAtMs = 0;

    const error = await rejection(flow.resume(Context.fromDict(flow, older) as never));

    expect(unfired).toEqual(["gather"]);
    expect(error).toMatchObject({ code: "RUN_STUCK", details: { missing: [expect.stringContaining('step "start"')] } });
  });

  it.each([
    ["unfired", [7]],
    ["leftovers", [{ kind: "other", step: "pair" }]],
    ["leftovers", [{ kind: "join", step: "pair", arrived: "Left", missing: [] }]],
  ])("is refused in a snapshot when %s is damaged", (name, damaged) => {
    const snapshot = { ...encodeState(replay(routing, begin(), ticks), compiled), [name]: damaged };

    expect(() => Context.fromDict(compiled.instance, JSON.parse(JSON.stringify(snapshot)))).toThrow(
      expect.objectContaining({ code: "SNAPSHOT_INVALID", message: expect.stringContaining(`snapshot.${name}`) }),
    );
  });
});
