/** How long a run lives, how it ends, and how it goes on. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { setPorts } from "../src/entries/engine.js";
import {
  Context,
  defineWorkflow,
  event,
  InputRequiredEvent,
  many,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  WorkflowCancelledEvent,
  WorkflowFailedEvent,
  wait,
} from "../src/index.js";
import { Answer, answer, phases, stopped } from "./support/phases.js";
import { gate, rejection, reload, waiting } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

class Ask extends InputRequiredEvent.define("Ask", { question: z.string() }) {}
class Item extends event("Item", { n: z.number() }) {}

describe("cancel", () => {
  it.each([
    ["text", "enough", ": enough."],
    ["a record", { by: "Ada" }, ': {"by":"Ada"}.'],
    ["a big number", 10n, ": 10."],
    ["what JSON cannot hold", { by: 10n }, "cannot be read"],
    ["nothing", null, "was cancelled."],
  ])("rejects the handler with its own error, whatever the reason is: %s", async (_, reason, told) => {
    const handler = phases(2).flow.run();
    await handler.cancel(reason);

    expect(await rejection(handler)).toMatchObject({ code: "RUN_CANCELLED", message: expect.stringContaining(told) });
  });

  it("with a journal ends once the children are stored as cancelled, and no run continues before", async () => {
    const child = defineWorkflow("child")
      .step("wait", { on: StartEvent, emits: StopEvent, waits: Answer }, async (_, ctx) => {
        await ctx.waitForEvent(Answer);
        return stopped("answered");
      })
      .build();
    const parent = defineWorkflow("parent", { children: { child } })
      .step("ask", { on: StartEvent, emits: StopEvent }, async (_, ctx) => stopped(await ctx.runChild("child")))
      .build();
    const stored: string[] = [];
    const append = async (runId: string, ticks: readonly { readonly type: string }[]): Promise<void> => {
      await settle();
      for (const { type } of ticks) stored.push(`${runId.includes("/") ? "child" : "parent"} ${type}`);
    };
    setPorts(parent, { journal: { append } });
    const first = parent.run();
    await first.idle();

    const cancelled = first.cancel();
    await rejection(first);
    expect(() => parent.resume(first.context)).toThrow(expect.objectContaining({ code: "RUN_LIVE" }));
    await cancelled;
    const second = parent.resume(first.context);
    await second.idle();

    expect(stored.filter((tick) => /cancelled|resumed/.test(tick))).toEqual([
      "parent run.cancelled",
      "child run.cancelled",
      "parent run.resumed",
      "child run.resumed",
    ]);
    expect(await second.sendEvent(answer)).toMatchObject({ status: "accepted" });
    expect(await second).toBe("answered");
  });

  it("keeps the work, and resume goes on with it, here and after a load", async () => {
    const { flow, next } = phases(2);
    const handler = flow.run();
    await settle();
    next();
    await waiting(handler);

    await handler.cancel("enough");
    const shown = await handler.streamEvents().toArray();
    const here = flow.resume(handler.context);
    await here.sendEvent(answer);
    await settle();
    const there = flow.resume(reload(flow, here.context));
    await settle();
    next();

    expect(await handler.idle()).toEqual({ status: "cancelled", reason: "enough" });
    expect(await rejection(handler)).toMatchObject({
      code: "RUN_CANCELLED",
      message: expect.stringContaining("enough"),
    });
    expect(shown.at(-1)?.event).toMatchObject({ reason: "enough" });
    expect(shown.at(-1)?.event).toBeInstanceOf(WorkflowCancelledEvent);
    expect(await there).toBe("done");
  });

  it("is what an AbortSignal does; one that has aborted already lets nothing begin", async () => {
    let begun = 0;
    const flow = defineWorkflow("aborted")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
        begun++;
        await new Promise((done) => ctx.signal.addEventListener("abort", done));
        return stopped("never");
      })
      .build();
    const controller = new AbortController();
    const handler = flow.run({}, { signal: controller.signal });
    await settle();

    controller.abort(new Error("left the page"));
    const early = flow.run({}, { signal: AbortSignal.abort("before") });

    expect(await handler.idle()).toEqual({ status: "cancelled", reason: "left the page" });
    expect(await early.idle()).toEqual({ status: "cancelled", reason: "before" });
    expect(begun).toBe(1);

    const resumed = flow.resume(early.context);
    await settle();
    await resumed.cancel();
    expect(begun).toBe(2);
  });
});

describe("retry", () => {
  it("runs failed and leftover work again, with fresh counters, and nothing that was done", async () => {
    const worked: string[] = [];
    let isBroken = true;
    const flow = defineWorkflow("retried")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => [1, 2, 3].map((n) => new Item({ n })))
      .step(
        "work",
        {
          on: Item,
          emits: StopEvent,
          workers: 1,
          retry: retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) }),
        },
        async ({ n }, ctx) => {
          worked.push(`${n}.${ctx.retryInfo().retry}`);
          if (n === 2 && isBroken) throw new Error("broken");
          const done = await ctx.store.editState((state) => (state["done"] = Number(state["done"] ?? 0) + 1));
          return done === 3 ? stopped(done) : null;
        },
      )
      .build();
    const first = flow.run();
    const error = await rejection(first);
    const context = reload(flow, first.context);
    isBroken = false;

    const second = flow.retry(context);

    expect(error.message).toBe("broken");
    expect(await second).toBe(3);
    expect(second.runId).toBe(first.runId);
    expect(worked).toEqual(["1.0", "2.0", "2.1", "2.0", "3.0"]);
  });

  it("gives a timed-out run its whole time again", async () => {
    const { flow, clock, next } = phases(1);
    const first = flow.run({}, { timeout: "1s" });
    const failure = rejection(first);
    await clock.advance(1_000);
    await failure;

    const second = flow.retry(first.context);
    await clock.advance(999);
    next();

    expect(await second).toBe("done");
  });

  it("and resume refuse what they cannot go on with", async () => {
    const { flow, next } = phases(1);
    const fresh = new Context(flow);
    const handler = flow.run();
    await settle();
    next();
    await handler;

    expect(() => flow.retry(handler.context)).toThrow(/is completed; it cannot be retried/);
    expect(() => flow.resume(handler.context)).toThrow(/is completed; it cannot be resumed/);
    expect(() => flow.resume(fresh)).toThrow(/has not run yet/);
  });
});

describe("run on a context", () => {
  it("continues a run that is still going, without a new start event", async () => {
    const { flow, next } = phases(2);
    const first = flow.run();
    await settle();
    next();
    await waiting(first);

    const second = flow.run(undefined, { context: reload(flow, first.context) });
    await waiting(second);
    await second.sendEvent(answer);
    await settle();
    next();

    expect(await second).toBe("done");
    expect(second.runId).toBe(first.runId);
  });

  it.each([{}, { topic: "new" }, new StartEvent()])("refuses new input to a run that waits: %o", async (input) => {
    const { flow, next } = phases(2);
    const first = flow.run();
    await settle();
    next();
    await waiting(first);
    const context = reload(flow, first.context);

    expect(() => flow.run(input, { context })).toThrow(
      expect.objectContaining({ code: "RUN_LIVE", message: expect.stringMatching(/takes no new input/) }),
    );
    expect((await waiting(flow.resume(context))).status).toBe("waiting");
  });

  it("refuses new input to a run that was cancelled, and continues it without one", async () => {
    const { flow } = phases(1);
    const first = flow.run();
    await settle();
    await first.cancel();

    expect(() => flow.run({}, { context: first.context })).toThrow(expect.objectContaining({ code: "RUN_LIVE" }));
    const second = flow.run(undefined, { context: first.context });
    expect(second.runId).toBe(first.runId);
    await second.cancel();
  });

  it("refuses another id for a run that it continues", async () => {
    const { flow } = phases(1);
    const first = flow.run();
    const { context, runId } = first;
    await settle();
    await first.cancel();

    expect(() => flow.run(undefined, { context, runId: "other" })).toThrow(
      expect.objectContaining({ code: "RUN_LIVE", message: expect.stringContaining("no new input or id") }),
    );
    const second = flow.run(undefined, { context, runId });
    expect(second.runId).toBe(runId);
    await second.cancel();
  });

  it("of a run that is live is refused, and so is a second run of one id", async () => {
    const { flow, next } = phases(1);
    const handler = flow.run({}, { runId: "mine" });
    await settle();

    expect(() => flow.run({}, { context: handler.context })).toThrow(expect.objectContaining({ code: "RUN_LIVE" }));
    expect(() => flow.run({}, { runId: "mine" })).toThrow(expect.objectContaining({ code: "RUN_LIVE" }));
    next();
    await handler;
    expect(flow.run({}, { runId: "mine" }).runId).toBe("mine");
  });

  it("that was filled before starts on its state", async () => {
    const flow = defineWorkflow("filled")
      .step("read", { on: StartEvent, emits: StopEvent }, async (_, ctx) => stopped(await ctx.store.get("topic")))
      .build();
    const context = new Context(flow);
    await context.store.set("topic" as never, "ships" as never);

    const handler = flow.run({}, { context });

    expect(await handler).toBe("ships");
    expect(handler.runId).toBe(context.runId);
  });
});

describe("a run that can never end", () => {
  it("fails at once and says so", async () => {
    const flow = defineWorkflow("stuck")
      .step("start", { on: StartEvent, emits: [Item, StopEvent] }, async () => new Item({ n: 1 }))
      .step("gather", { on: Item, emits: StopEvent }, async (ev, ctx) => {
        const both = await ctx.collectEvents(ev, [Item, Item]);
        return both && stopped(2);
      })
      .build();
    const handler = flow.run();

    const error = await rejection(handler);

    expect(error).toMatchObject({ code: "RUN_STUCK", hint: expect.stringContaining("StopEvent") });
    expect(error.message).toMatch(/of "stuck" can never end.*collectEvents "gather.*has 1 of its events/);
    expect((await handler.streamEvents().toArray()).at(-1)?.event).toBeInstanceOf(WorkflowFailedEvent);
  });
});

describe("idle", () => {
  it("waits while there is something to do, and tells what the run waits for", async () => {
    const held = gate();
    const flow = defineWorkflow("idle")
      .step("ask", { on: StartEvent, waits: Answer, streams: Ask, emits: StopEvent }, async (_, ctx) => {
        await held.promise;
        await ctx.waitForEvent(Answer, { prompt: new Ask({ question: "?" }), timeout: "1h" });
        throw new Error("unlucky");
      })
      .build();
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    const idle = handler.idle();
    held.open();

    const outcome = await idle;
    await handler.sendEvent(answer);

    expect(outcome).toEqual({
      status: "waiting",
      prompts: [
        {
          promptId: expect.any(String),
          event: new Ask({ question: "?" }),
          runId: handler.runId,
          step: "ask",
          askedAtMs: clock.now(),
          dueAtMs: clock.now() + 3_600_000,
          answerType: "Answer",
        },
      ],
      wakeAtMs: clock.now() + 3_600_000,
    });
    expect(await handler.idle()).toEqual({ status: "failed", error: expect.objectContaining({ message: "unlucky" }) });
    expect(await handler.idle()).toMatchObject({ status: "failed" });
  });

  it("comes again after a write to the state of a run that waits, by the caller and by its step", async () => {
    const written = gate();
    const flow = defineWorkflow("idle")
      .step("ask", { on: StartEvent, waits: Answer, emits: StopEvent }, async (_, ctx) => {
        const edit = ctx.store.editState(async (state) => {
          await written.promise;
          state["step"] = 1;
        });
        await Promise.all([edit, ctx.waitForEvent(Answer)]);
        return stopped(await ctx.store.get());
      })
      .build();
    const handler = flow.run();
    const waits = waiting(handler);
    written.open();
    await waits;

    await handler.context.store.set("caller", 1);
    await waiting(handler);
    await handler.context.store.editState((state) => void (state["caller"] = 2));
    await waiting(handler);
    await handler.sendEvent(answer);

    expect(await handler).toEqual({ step: 1, caller: 2 });
  });
});
