/** What a restore must not change: who runs, what was written, and who won a race. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { setPorts } from "../src/entries/engine.js";
import {
  Context,
  defineWorkflow,
  ExternalEvent,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  type WorkflowHandler,
} from "../src/index.js";
import { withVirtualClock } from "./support/virtual-clock.js";

class Ask extends InputRequiredEvent.define("Ask", { id: z.number() }) {}
class Told extends HumanResponseEvent.define("Told", { text: z.string() }) {}
class Ping extends ExternalEvent.define("Ping", { n: z.number() }) {}
const stopped = <Result>(result: Result): StopEvent<Result> => new StopEvent({ result });

/** The snapshot as another process would get it. */
const snapshotOf = (handler: WorkflowHandler): unknown => JSON.parse(JSON.stringify(handler.context.toDict()));

describe("after a restore", () => {
  it("the child of a child goes on by itself", async () => {
    const inner = defineWorkflow("inner")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Told, streams: Ask }, async (_ev, ctx) =>
        stopped((await ctx.waitForEvent(Told, { prompt: new Ask({ id: 1 }) })).text),
      )
      .build();
    const outer = defineWorkflow("outer", { children: { inner } })
      .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => stopped(await ctx.runChild(inner, {})))
      .build();
    const top = defineWorkflow("top", { children: { outer } })
      .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => stopped(await ctx.runChild(outer, {})))
      .build();
    const handler = top.run({});
    await handler.idle();

    const restored = top.resume(Context.fromDict(top, snapshotOf(handler)));
    const outcome = await restored.idle();

    expect(outcome).toMatchObject({ status: "waiting", prompts: [{ event: { id: 1 } }] });
    if (outcome.status === "waiting") await restored.answer(outcome.prompts[0]?.promptId ?? "", { text: "yes" });
    expect(await restored).toBe("yes");
  });

  it.each([
    ["a number", 1],
    ["a Map", new Map([[1, new Date(5)]])],
    ["a Set", new Set([1n])],
  ])("a whole state with %s that was set once is not set again over what came after it", async (_name, value) => {
    const flow = defineWorkflow("whole")
      .step("write", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.store.setState({ a: value });
        await ctx.store.set("x", [1]);
        await ctx.sleep("1h");
        return stopped(null);
      })
      .build();
    const handler = flow.run({});
    await handler.idle();

    const restored = flow.resume(Context.fromDict(flow, snapshotOf(handler)));
    await restored.idle();

    expect(await restored.context.store.getState()).toEqual({ a: value, x: [1] });
  });

  it("a child that had ended while its parent was not told yet is not run again", async () => {
    const effects: string[] = [];
    const child = defineWorkflow("child")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) =>
        stopped(await ctx.run("charge", () => effects.push("charged"))),
      )
      .build();
    const parent = defineWorkflow("parent", { children: { child } })
      .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => stopped(await ctx.runChild(child, {})))
      .build();
    let snapshot: unknown;
    const journal = {
      async append(_runId: string, ticks: readonly { readonly type: string }[]) {
        if (ticks.some(({ type }) => type === "child.closed")) snapshot = snapshotOf(handler);
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
    for (const flow of [parent, child]) setPorts(flow, { journal });
    const handler = parent.run({});
    await handler;
    for (const flow of [parent, child]) setPorts(flow, {});

    const restored = await parent.resume(Context.fromDict(parent, snapshot));

    expect(restored).toBe(1);
    expect(effects).toEqual(["charged"]);
  });

  it("a race of a sleep and a wait keeps its winner, also when the sleep is over by now", async () => {
    const flow = defineWorkflow("race")
      .step("race", { on: StartEvent, emits: StopEvent, waits: Ping }, async (_ev, ctx) => {
        const winner = await Promise.race([
          ctx.sleep("1h").then(() => "late"),
          ctx.waitForEvent(Ping).then(({ n }) => `ping ${n}`),
        ]);
        await ctx.sleep("2h");
        return stopped(winner);
      })
      .build();
    const clock = withVirtualClock(flow);
    const handler = flow.run({});
    await handler.idle();
    await handler.sendEvent(new Ping({ n: 7 }));
    await clock.advance(90 * 60_000);

    const restored = flow.resume(Context.fromDict(flow, snapshotOf(handler)));
    await clock.advance(60 * 60_000);

    expect(await restored).toBe("ping 7");
  });

  it("a race of two waits and one of two effects keep their winners", async () => {
    let freeSlow: () => void = () => {};
    const slow = new Promise<void>((resolve) => {
      freeSlow = resolve;
    });
    const flow = defineWorkflow("races")
      .step("race", { on: StartEvent, emits: StopEvent, waits: Ping }, async (_ev, ctx) => {
        const order: string[] = [];
        const note = (name: string) => () => order.push(name);
        const waits = [1, 2].map((n) =>
          ctx.waitForEvent(Ping, { where: { n }, key: String(n) }).then(note(`ping ${n}`)),
        );
        await Promise.all(waits);
        await Promise.all([
          ctx.run("slow", () => slow).then(note("slow")),
          ctx.run("quick", () => {}).then(note("quick")),
        ]);
        await ctx.sleep("1h");
        return stopped(order);
      })
      .build();
    const clock = withVirtualClock(flow);
    const handler = flow.run({});
    await handler.idle();
    await handler.sendEvent(new Ping({ n: 2 }));
    await handler.sendEvent(new Ping({ n: 1 }));
    await clock.advance(1);
    freeSlow();
    await handler.idle();

    const restored = flow.resume(Context.fromDict(flow, snapshotOf(handler)));
    await clock.advance(2 * 60 * 60_000);

    expect(await restored).toEqual(["ping 2", "ping 1", "quick", "slow"]);
  });
});
