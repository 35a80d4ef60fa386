/** Code that loops over calls which wait for nothing: timers of the host fire all the same. */
import { describe, expect, it } from "vitest";
import { createRuntime, memoryStore } from "../src/entries/runtime.js";
import { Context, defineWorkflow, event, StartEvent, StopEvent } from "../src/index.js";
import { rejection } from "./support/runs.js";

class Tick extends event("Tick", {}) {}

type Call = (ctx: Context, round: number) => unknown;
type Store = Pick<Context["store"], "get" | "getState" | "set" | "setState" | "editState" | "clear">;

const storeCalls: readonly (readonly [string, (store: Store, round: number) => unknown])[] = [
  ["set", (store, round) => store.set("n", round)],
  ["setState", (store, n) => store.setState({ n })],
  ["clear", (store) => store.clear()],
  ["editState", (store, round) => store.editState((state) => void ((state as { n?: number }).n = round))],
  ["get", (store) => store.get("n")],
  ["getState", (store) => store.getState()],
];
const calls: readonly (readonly [string, Call])[] = [
  ...storeCalls.map(([name, call]) => [name, (ctx: Context, round: number) => call(ctx.store, round)] as const),
  ["run", (ctx, round) => ctx.run(`${round}`, () => round)],
  ["collectEvents", (ctx) => ctx.collectEvents(new Tick({}), [Tick])],
  [
    "sendEvent and a read",
    (ctx) => {
      ctx.sendEvent(new Tick({}), { immediate: true });
      return ctx.store.get("n");
    },
  ],
];

/** Loops until its signal aborts, or for so long that a host without a turn is told from a slow one. */
function loopOf(call: Call) {
  return defineWorkflow("loop")
    .step("loop", { on: StartEvent, emits: [Tick, StopEvent] }, async (_ev, ctx: Context) => {
      const endMs = performance.now() + 20_000;
      for (let round = 0; performance.now() < endMs; round++) await call(ctx, round);
      return new StopEvent({ result: "never stopped" });
    })
    .step("take", { on: Tick }, () => undefined)
    .build();
}

/** Aborts after some turns of a timer, none of which comes to a host that starves. */
function afterTimers(count: number): AbortSignal {
  const controller = new AbortController();
  const next = (left: number): void => {
    if (left === 0) controller.abort(new Error("the timers had their turns"));
    else setTimeout(next, 1, left - 1);
  };
  next(count);
  return controller.signal;
}

describe("timers have their turns while a step loops over", () => {
  it.each(calls)("%s, in memory", async (_name, call) => {
    const error = await rejection(loopOf(call).run({}, { signal: afterTimers(10) }));

    expect(error).toMatchObject({ code: "RUN_CANCELLED" });
  });

  it.each(calls)("%s, in a runtime", async (_name, call) => {
    const runtime = createRuntime({ workflows: { loop: loopOf(call) }, store: memoryStore() });
    await runtime.start();
    const handle = runtime.run("loop", {});

    afterTimers(10).addEventListener("abort", () => void handle.cancel("the timers had their turns"));

    const error = await rejection(handle);
    await runtime.stop();

    expect(error).toMatchObject({ code: "RUN_CANCELLED" });
  });

  it("calls that its records answer", async () => {
    const fired: number[] = [];
    const flow = defineWorkflow("recalled")
      .step("loop", { on: StartEvent, emits: StopEvent, retry: { next: () => 0 } }, async (_ev, ctx: Context) => {
        const isFirst = ctx.retryInfo().retry === 0;
        const timer = setInterval(() => void fired.push(isFirst ? 0 : 1), 1);
        for (let round = 0; round < 20_000; round++) await ctx.run(`${round}`, () => round);
        clearInterval(timer);
        if (isFirst) throw new Error("once more");
        return new StopEvent({ result: null });
      })
      .build();

    await flow.run();

    expect(fired).toContain(1);
  });
});

describe("timers have their turns while a caller loops over", () => {
  it.each(storeCalls)("%s of a context without a run", async (_name, call) => {
    const { store } = new Context(loopOf(() => null));
    const signal = afterTimers(10);
    const endMs = performance.now() + 20_000;

    for (let round = 0; !signal.aborted && performance.now() < endMs; round++) await call(store as Store, round);

    expect(signal.aborted).toBe(true);
  });

  it.each(storeCalls)("%s of a run in memory", async (_name, call) => {
    const flow = defineWorkflow("sleeps")
      .step("sleep", { on: StartEvent, emits: StopEvent }, async (_ev, ctx: Context) => {
        await ctx.sleep("1h");
        return new StopEvent({ result: null });
      })
      .build();
    const handler = flow.run();
    await handler.idle();
    const signal = afterTimers(10);
    const endMs = performance.now() + 20_000;

    for (let round = 0; !signal.aborted && performance.now() < endMs; round++)
      await call(handler.context.store as Store, round);
    await handler.cancel();

    expect(signal.aborted).toBe(true);
  });
});
