import {
  Context,
  catchError,
  collect,
  defineWorkflow,
  ExternalEvent,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  resource,
  retryPolicy,
  StartEvent,
  type Context as StepContext,
  StopEvent,
  step,
  stop,
  Workflow,
  wait,
} from "millrace";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { runToEnd, virtualClock } from "../src/index.js";

class Ask extends InputRequiredEvent.define("Ask", { question: z.string() }) {}
class Told extends HumanResponseEvent.define("Told", { text: z.string() }) {}
class Poke extends ExternalEvent.define("Poke", { n: z.number() }) {}
class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
class Seen extends event("Seen", { n: z.number() }) {}

const hourly = retryPolicy({ wait: wait.fixed("1h"), stop: stop.afterAttempts(3) });

class Asking extends Workflow {
  @step({ on: StartEvent, emits: StopEvent, waits: Told, streams: Ask })
  async ask(_ev: StartEvent, ctx: StepContext) {
    const answer = await ctx
      .waitForEvent(Told, { prompt: new Ask({ question: "Why?" }), timeout: "7d" })
      .catch((error: { code: string }) => error);
    return new StopEvent({ result: "text" in answer ? answer.text : answer.code });
  }
}

class Waiting extends Workflow {
  @step({ on: StartEvent, emits: StopEvent, waits: Poke })
  async wait(_ev: StartEvent, ctx: StepContext) {
    const first = await ctx.waitForEvent(Poke, { key: "first" });
    await ctx.sleep("1d");
    const second = await ctx.waitForEvent(Poke, { key: "second" });
    return new StopEvent({ result: [first.n, second.n] });
  }
}

describe("runToEnd", () => {
  it("gives everything that can be seen of a run", async () => {
    const workflow = defineWorkflow("counting", { state: { count: z.number().default(0) } })
      .step("split", { on: StartEvent, emits: many(Item) }, () => [new Item({ n: 1 }), new Item({ n: 2 })])
      .step("work", { on: Item, emits: Done, streams: Seen, workers: 1 }, async ({ n }, ctx) => {
        ctx.writeEventToStream(new Seen({ n }));
        await ctx.store.editState((state) => void (state.count += n));
        return new Done({ n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, (all) => new StopEvent({ result: all.length }))
      .build();

    const { outcome, result, events, state, steps, ticks } = await runToEnd(workflow);

    expect(outcome).toEqual({ status: "completed", result: 2 });
    expect(result).toBe(2);
    expect(events.map(({ type }) => type)).toEqual(["Seen", "Seen", "StopEvent"]);
    expect(state).toEqual({ count: 3 });
    expect(steps).toEqual(["split", "work", "work", "end"]);
    expect(ticks).toBe(9);
  });

  it("lets sleeps, retries and waits pass at once, and retries say how long they took", async () => {
    class Flaky extends Workflow {
      @step({ on: StartEvent, emits: StopEvent, retry: hourly })
      async fetch(_ev: StartEvent, ctx: StepContext) {
        await ctx.sleep("30d");
        const { retry, elapsedMs } = ctx.retryInfo();
        if (retry < 2) throw new Error("busy");
        return new StopEvent({ result: elapsedMs / 3_600_000 });
      }
    }
    const beganAt = performance.now();

    const { result, steps } = await runToEnd(new Flaky());

    expect(result).toBe(30 * 24 + 2);
    expect(steps).toEqual(["fetch", "fetch", "fetch"]);
    expect(performance.now() - beganAt).toBeLessThan(30_000);
  });

  it("lets a step time out that never says a word, but not one that works", async () => {
    class Hanging extends Workflow {
      @step({ on: StartEvent, emits: Item, timeout: "1h" })
      async work() {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return new Item({ n: 1 });
      }
      @step({ on: Item, emits: StopEvent, timeout: "1h" })
      async hang(): Promise<StopEvent<string>> {
        return new Promise(() => {});
      }
      @catchError({ emits: StopEvent })
      end(ev: { readonly stepName: string }) {
        return new StopEvent({ result: ev.stepName });
      }
    }

    expect((await runToEnd(new Hanging(), {}, { timeoutTurns: 200 })).result).toBe("hang");
  });

  it("answers by the type of the prompt, or as a function says", async () => {
    const byType = await runToEnd(new Asking(), {}, { answers: { Ask: { text: "Because." } } });
    const byFunction = await runToEnd(
      new Asking(),
      {},
      { answers: (ask) => ({ text: `${(ask as Ask).question} So.` }) },
    );

    expect([byType.result, byFunction.result]).toEqual(["Because.", "Why? So."]);
  });

  it("lets a prompt time out that is not answered", async () => {
    const clock = virtualClock(0);

    expect((await runToEnd(new Asking(), {}, { answers: { Ask: null }, clock })).result).toBe("WAIT_TIMED_OUT");
    expect(clock.now()).toBe(7 * 86_400_000);
  });

  it("refuses an answer that does not fit", async () => {
    await expect(runToEnd(new Asking(), {}, { answers: { Ask: { txt: "?" } } })).rejects.toMatchObject({
      code: "EVENT_INVALID",
    });
  });

  it("sends events in order", async () => {
    const { result } = await runToEnd(new Waiting(), {}, { events: [new Poke({ n: 1 }), new Poke({ n: 2 })] });

    expect(result).toEqual([1, 2]);
  });

  it("names what a run waits for that nobody sends", async () => {
    await expect(runToEnd(new Waiting(), {}, { events: [new Poke({ n: 1 })] })).rejects.toMatchObject({
      code: "RUN_STUCK",
      message: 'The run of "Waiting" waits for an event that is never sent: "wait" waits for Poke.',
      hint: "Pass the events in `events`.",
    });
  });

  it("names the prompt that nobody answers", async () => {
    await expect(runToEnd(new Asking())).resolves.toMatchObject({ result: "WAIT_TIMED_OUT" });
    class Forever extends Workflow {
      @step({ on: StartEvent, emits: StopEvent, waits: Told, streams: Ask })
      async ask(_ev: StartEvent, ctx: StepContext) {
        return new StopEvent({
          result: (await ctx.waitForEvent(Told, { prompt: new Ask({ question: "?" }) })).text,
        });
      }
    }

    await expect(runToEnd(new Forever())).rejects.toMatchObject({
      code: "RUN_STUCK",
      message: 'The run of "Forever" waits for an event that is never sent: it asks Ask; "ask" waits for Told.',
      hint: "Pass `answers: { Ask: { … } }`.",
    });
  });

  it("names the step that hangs", async () => {
    class Hanging extends Workflow {
      @step({ on: StartEvent, emits: StopEvent })
      async hang(): Promise<StopEvent<number>> {
        return new Promise(() => {});
      }
    }

    await expect(runToEnd(new Hanging(), {}, { timeoutTurns: 50 })).rejects.toMatchObject({
      code: "RUN_STUCK",
      message: 'The run of "Hanging" makes no progress: "hang" worked for 50 turns of the event loop.',
    });
  });

  it("gives up on a run that only sleeps", async () => {
    class Endless extends Workflow {
      @step({ on: [StartEvent, Item], emits: [Item, StopEvent] })
      async tick(_ev: StartEvent | Item, ctx: StepContext) {
        await ctx.sleep("1m");
        if (ctx.runId === "") return new StopEvent({ result: 0 });
        return new Item({ n: 1 });
      }
    }

    await expect(runToEnd(new Endless())).rejects.toThrow('The run of "Endless" does not end: time has moved on 10000');
  });

  it("gives a failed run as an outcome", async () => {
    class Failing extends Workflow {
      @step({ on: StartEvent, emits: StopEvent })
      fail(): StopEvent<number> {
        throw new TypeError("no");
      }
    }

    const { outcome, result, events } = await runToEnd(new Failing());

    expect(outcome).toMatchObject({
      status: "failed",
      error: expect.objectContaining({ name: "TypeError", message: "no" }),
    });
    expect(result).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(["WorkflowFailedEvent"]);
  });

  it("starts on a state, with stand-ins for resources", async () => {
    const greeting = resource("greeting", () => "hello");
    class Greeter extends Workflow.withState({ name: z.string().default("nobody") }) {
      @step({ on: StartEvent, emits: StopEvent, resources: { greeting } })
      async greet(_ev: StartEvent, ctx: StepContext<{ name: string }>, { greeting: word }: { greeting: string }) {
        return new StopEvent({ result: `${word}, ${await ctx.store.get("name")}` });
      }
    }
    const workflow = new Greeter();
    const context = new Context(workflow);
    await context.store.set("name", "Ada");

    const { result } = await runToEnd(workflow, {}, { context, resources: [greeting.override("moin")] });

    expect(result).toBe("moin, Ada");
  });

  it("shares one child between runs that were asked for together", async () => {
    class Child extends Workflow {
      @step({ on: StartEvent, emits: StopEvent })
      async nap(_ev: StartEvent, ctx: StepContext) {
        await ctx.sleep("1h");
        return new StopEvent({ result: "rested" });
      }
    }
    class Parent extends Workflow {
      static children = { child: Child };
      @step({ on: StartEvent, emits: StopEvent })
      async run1(_ev: StartEvent, ctx: StepContext) {
        return new StopEvent({ result: await ctx.runChild(Child, {}) });
      }
    }

    const runs = await Promise.all([runToEnd(new Parent()), runToEnd(new Parent(), {}, { seed: 2 })]);

    expect(runs.map(({ result }) => result)).toEqual(["rested", "rested"]);
    expect(runs.map(({ steps }) => steps)).toEqual([
      ["run1", "Child.nap"],
      ["run1", "Child.nap"],
    ]);
  });

  it("leaves the workflow on the time of the host", async () => {
    const workflow = new Asking();
    await runToEnd(workflow, {}, { answers: { Ask: { text: "Because." } } });

    const beganAtMs = Date.now();
    const outcome = await workflow.run().idle();
    if (outcome.status !== "waiting") throw new Error(outcome.status);

    expect(outcome.wakeAtMs).toBeGreaterThanOrEqual(beganAtMs + 7 * 86_400_000);
    expect(outcome.wakeAtMs).toBeLessThanOrEqual(Date.now() + 7 * 86_400_000);
  });
});
