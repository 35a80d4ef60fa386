/** Whichever comes first: `ctx.race`, and calls that a `signal` closes. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Context,
  defineWorkflow,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
} from "../src/index.js";
import { rejection, reload, waiting } from "./support/runs.js";
import { withVirtualClock } from "./support/virtual-clock.js";

class Message extends HumanResponseEvent.define("Message", { text: z.string() }) {}
class Question extends InputRequiredEvent.define("Question", { who: z.string() }) {}
const stopped = <Result>(result: Result): StopEvent<Result> => new StopEvent({ result });
const HOUR_MS = 3_600_000;

type Body = (ctx: Context, attempt: number) => Promise<unknown>;

/** A workflow of one step, which may ask, wait, sleep, call a child and try again. */
function flowOf(body: Body) {
  const child = defineWorkflow("child")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Message, streams: Question }, async (_ev, ctx) =>
      stopped((await ctx.waitForEvent(Message, { prompt: new Question({ who: "child" }) })).text),
    )
    .build();
  let attempt = 0;
  const flow = defineWorkflow("races", { children: { child } })
    .step(
      "work",
      { on: StartEvent, emits: StopEvent, waits: Message, streams: Question, retry: { next: () => 0 } },
      async (_ev, ctx: Context) => stopped(await body(ctx, ++attempt)),
    )
    .build();
  return { flow, clock: withVirtualClock(flow) };
}

/** Messages and hours that pass, in the order in which the loop has seen them. */
const listen =
  (rounds: number): Body =>
  async (ctx) => {
    const seen: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const first = await ctx.race({
        message: (signal) => ctx.waitForEvent(Message, { signal }),
        timeout: (signal) => ctx.sleep("1h", { signal }),
      });
      seen.push(first.winner === "message" ? first.value.text : first.winner);
    }
    return seen;
  };

describe("a race", () => {
  it("in a loop sees every event whose receipt says that it was accepted", async () => {
    const { flow, clock } = flowOf(listen(4));
    const handler = flow.run();
    await waiting(handler);

    await clock.advance(HOUR_MS);
    await waiting(handler);
    const first = await handler.sendEvent(new Message({ text: "A" }));
    await waiting(handler);
    await clock.advance(HOUR_MS);
    await waiting(handler);
    const second = await handler.sendEvent(new Message({ text: "B" }));

    expect([first.status, second.status]).toEqual(["accepted", "accepted"]);
    expect(await handler).toEqual(["timeout", "A", "timeout", "B"]);
  });

  it("withdraws the prompts of those that lose, and refuses late answers to them", async () => {
    const { flow, clock } = flowOf(async (ctx) => {
      const seen: string[] = [];
      for (const who of ["clerk", "boss"]) {
        const first = await ctx.race({
          message: (signal) => ctx.waitForEvent(Message, { prompt: new Question({ who }), signal }),
          timeout: (signal) => ctx.sleep("1d", { signal }),
        });
        seen.push(`${who}: ${first.winner}`);
      }
      return seen;
    });
    const handler = flow.run();
    const [clerk] = (await waiting(handler)).prompts;
    await clock.advance(24 * HOUR_MS);

    const { prompts } = await waiting(handler);
    const late = await handler.answer(clerk?.promptId ?? "", { text: "late" });
    const answered = await handler.answer(prompts[0]?.promptId ?? "", { text: "yes" });

    expect(prompts.map(({ event }) => (event as Question).who)).toEqual(["boss"]);
    expect(late).toMatchObject({ status: "refused", code: "PROMPT_CLOSED" });
    expect(answered.status).toBe("accepted");
    expect(await handler).toEqual(["clerk: timeout", "boss: message"]);
  });

  it("leaves a kept event that loses to another kept event for the next wait", async () => {
    const { flow } = flowOf(async (ctx) => {
      await ctx.sleep("1h");
      const wait = (text: string) => (signal: AbortSignal) =>
        ctx.waitForEvent(Message, { key: text, where: { text }, signal });
      const first = await ctx.race({ a: wait("A"), b: wait("B") });
      return [first.value.text, (await ctx.waitForEvent(Message)).text];
    });
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    await waiting(handler);
    await handler.sendEvent(new Message({ text: "B" }));
    await handler.sendEvent(new Message({ text: "A" }));

    await clock.advance(HOUR_MS);

    expect(await handler).toEqual(["A", "B"]);
  });

  it("cancels a child that loses, and its prompt is gone", async () => {
    const { flow, clock } = flowOf(async (ctx) => {
      const first = await ctx.race({
        child: (signal) => ctx.runChild("child", {}, { signal }),
        timeout: (signal) => ctx.sleep("1h", { signal }),
      });
      return [first.winner, (await ctx.waitForEvent(Message)).text];
    });
    const handler = flow.run();
    const [question] = (await waiting(handler)).prompts;

    await clock.advance(HOUR_MS);
    const { prompts } = await waiting(handler);
    const late = await handler.answer(question?.promptId ?? "", { text: "late" });
    await handler.sendEvent(new Message({ text: "next" }));

    expect(prompts).toEqual([]);
    expect(late).toMatchObject({ status: "refused", code: "PROMPT_CLOSED" });
    expect(await handler).toEqual(["timeout", "next"]);
  });

  it("has the same winner in a later attempt and after a restore", async () => {
    const { flow, clock } = flowOf(async (ctx, attempt) => {
      const seen = await listen(2)(ctx, attempt);
      if (attempt === 1) throw new Error("once more");
      return [seen, (await ctx.waitForEvent(Message)).text];
    });
    const first = flow.run();
    await waiting(first);
    await clock.advance(HOUR_MS);
    await waiting(first);
    await first.sendEvent(new Message({ text: "A" }));
    await waiting(first);

    const restored = flow.resume(reload(flow as never, first.context) as never);
    await waiting(restored);
    const receipt = await restored.sendEvent(new Message({ text: "B" }));

    expect(receipt.status).toBe("accepted");
    expect(await restored).toEqual([["timeout", "A"], "B"]);
  });

  it("begins anew in a retry when a wait of it has timed out", async () => {
    const { flow, clock } = flowOf(async (ctx) => {
      const first = await ctx.race({
        message: (signal) => ctx.waitForEvent(Message, { timeout: "1h", signal }),
        later: (signal) => ctx.sleep("1d", { signal }),
      });
      return first.winner === "message" ? first.value.text : first.winner;
    });
    const handler = flow.run();
    await waiting(handler);
    await clock.advance(HOUR_MS);
    await waiting(handler);

    await handler.sendEvent(new Message({ text: "second attempt" }));

    expect(await handler).toBe("second attempt");
  });

  it("is won by an effect, and closes the waits before it says so", async () => {
    const { flow } = flowOf(async (ctx) => {
      const first = await ctx.race({
        answer: (signal) => ctx.waitForEvent(Message, { prompt: new Question({ who: "you" }), signal }),
        work: () => ctx.run("work", () => 7),
      });
      return [first.winner, first.value, (await ctx.waitForEvent(Message)).text];
    });
    const handler = flow.run();
    const { prompts } = await waiting(handler);
    await handler.sendEvent(new Message({ text: "next" }));

    expect(prompts).toEqual([]);
    expect(await handler).toEqual(["work", 7, "next"]);
  });

  it("lets a racer make several calls, and closes the one that it is in", async () => {
    const { flow, clock } = flowOf(async (ctx) => {
      const first = await ctx.race({
        two: async (signal) => {
          const one = await ctx.waitForEvent(Message, { signal });
          const other = await ctx.waitForEvent(Message, { signal });
          return one.text + other.text;
        },
        timeout: (signal) => ctx.sleep("1h", { signal }),
      });
      return [first.winner, first.value, (await ctx.waitForEvent(Message)).text];
    });
    const handler = flow.run();
    await waiting(handler);
    await handler.sendEvent(new Message({ text: "one" }));
    await waiting(handler);
    await clock.advance(HOUR_MS);
    await waiting(handler);
    await handler.sendEvent(new Message({ text: "next" }));

    expect(await handler).toEqual(["timeout", undefined, "next"]);
  });

  it("rejects with the error of a racer that fails first", async () => {
    const { flow } = flowOf((ctx, attempt) =>
      attempt > 1
        ? Promise.resolve("second attempt")
        : ctx.race({
            fails: () => Promise.reject(new Error("first")),
            message: (signal) => ctx.waitForEvent(Message, { signal }),
          }),
    );

    expect(await flow.run()).toBe("second attempt");
  });

  it.each([
    ["no racers", {}],
    ["a racer that is no function", { message: 5 }],
  ])("refuses %s", async (_name, racers) => {
    const flow = defineWorkflow("bad")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => stopped(await ctx.race(racers as never)))
      .build();

    expect((await rejection(flow.run())).code).toBe("OPTION_INVALID");
  });
});

describe("a signal", () => {
  it.each([
    ["a wait", (ctx: Context, signal: AbortSignal) => ctx.waitForEvent(Message, { signal })],
    ["a sleep", (ctx: Context, signal: AbortSignal) => ctx.sleep("1h", { signal })],
    ["a child", (ctx: Context, signal: AbortSignal) => ctx.runChild("child", {}, { signal })],
  ])("closes %s, which rejects with its reason, in later attempts too", async (_name, call) => {
    const reason = new RangeError("enough");
    const { flow, clock } = flowOf(async (ctx, attempt) => {
      const controller = new AbortController();
      const outcome = rejection(call(ctx, controller.signal) as Promise<unknown>);
      if (attempt === 1) {
        await ctx.sleep("1m");
        controller.abort(reason);
        if ((await outcome) === reason) throw new Error("once more");
      }
      return [(await outcome).name, (await outcome).message, (await ctx.waitForEvent(Message)).text];
    });
    const first = flow.run();
    await waiting(first);
    await clock.advance(60_000);
    const { prompts, wakeAtMs } = await waiting(first);

    const restored = flow.resume(reload(flow as never, first.context) as never);
    await waiting(restored);
    await restored.sendEvent(new Message({ text: "next" }));

    expect({ prompts, wakeAtMs }).toEqual({ prompts: [], wakeAtMs: null });
    expect(await restored).toEqual(["RangeError", "enough", "next"]);
  });

  it("that has aborted before opens nothing", async () => {
    const { flow } = flowOf(async (ctx) => {
      const signal = AbortSignal.abort(new Error("before"));
      const calls = [
        ctx.waitForEvent(Message, { prompt: new Question({ who: "nobody" }), signal }),
        ctx.sleep("1h", { signal }),
        ctx.runChild("child", {}, { signal }),
      ];
      return Promise.all(calls.map(async (call) => (await rejection(call as Promise<unknown>)).message));
    });
    const handler = flow.run();

    expect(await handler).toEqual(["before", "before", "before"]);
    expect(handler.context.toDict()).not.toHaveProperty("prompts");
  });

  it("that aborts after the answer changes nothing", async () => {
    const { flow } = flowOf(async (ctx) => {
      const controller = new AbortController();
      const { text } = await ctx.waitForEvent(Message, { signal: controller.signal });
      controller.abort();
      return [text, (await ctx.waitForEvent(Message)).text];
    });
    const handler = flow.run();
    await waiting(handler);
    await handler.sendEvent(new Message({ text: "A" }));
    await waiting(handler);
    await handler.sendEvent(new Message({ text: "B" }));

    expect(await handler).toEqual(["A", "B"]);
  });

  it("that has closed a wait lets the next one for the event open without a key", async () => {
    const { flow } = flowOf(async (ctx) => {
      const controller = new AbortController();
      void ctx.waitForEvent(Message, { signal: controller.signal });
      controller.abort();
      return (await ctx.waitForEvent(Message)).text;
    });
    const handler = flow.run();
    await waiting(handler);
    await handler.sendEvent(new Message({ text: "A" }));

    expect(await handler).toBe("A");
  });

  it("is refused when it is none", async () => {
    const { flow } = flowOf((ctx) => rejection(ctx.sleep("1h", { signal: {} as never })).then(({ code }) => code));

    expect(await flow.run()).toBe("OPTION_INVALID");
  });
});
