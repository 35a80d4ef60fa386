/** The eleven hazards of waits inside steps (H1–H11) that other runtimes have, and what Millrace does instead. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Context,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  retryPolicy,
  StartEvent,
  StepRestartedEvent,
  StopEvent,
  stop,
  WorkflowError,
  wait,
} from "../src/index.js";
import { gate, rejection, reload, waiting } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

class Ask extends InputRequiredEvent.define("Ask", { question: z.string() }) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Note extends event("Note", { text: z.string() }) {}

/** One step that waits for answers, and one that takes notes. */
function flowOf(
  work: (ctx: Context) => Promise<unknown>,
  options: { readonly attempts?: number; readonly waitMs?: number } = {},
) {
  const { attempts = 1, waitMs = 0 } = options;
  const notes: string[] = [];
  const flow = defineWorkflow("hazards")
    .step(
      "ask",
      {
        on: StartEvent,
        emits: [StopEvent, Note],
        waits: Answer,
        streams: [Ask, Note],
        retry: retryPolicy({ wait: wait.fixed(waitMs), stop: stop.afterAttempts(attempts) }),
      },
      async (_, ctx) => new StopEvent({ result: await work(ctx) }),
    )
    .step("note", { on: Note }, async ({ text }) => void notes.push(text))
    .build();
  return { flow, notes };
}

const ask = (question: string): Ask => new Ask({ question });

describe("H1: a catch around a wait", () => {
  it("does not swallow the suspension", async () => {
    const caught: unknown[] = [];
    const { flow } = flowOf(async (ctx) => {
      try {
        return (await ctx.waitForEvent(Answer)).text;
      } catch (error) {
        caught.push(error);
        return "garbage";
      }
    });

    const handler = flow.run();
    await waiting(handler);
    await handler.sendEvent(new Answer({ text: "yes" }));

    expect(await handler).toBe("yes");
    expect(caught).toEqual([]);
  });

  it("gets the end of the attempt, and what it makes of it is ignored", async () => {
    const ended = gate<unknown>();
    const { flow } = flowOf(async (ctx) => {
      const failure = await rejection(ctx.waitForEvent(Answer));
      ended.open(failure);
      return "garbage";
    });
    const handler = flow.run();
    await waiting(handler);

    await handler.cancel();

    expect(WorkflowError.is(await ended.promise, "ATTEMPT_ENDED")).toBe(true);
    expect(await handler.idle()).toEqual({ status: "cancelled", reason: null });
  });
});

describe("H2: the code before a wait", () => {
  it("does not run again when the answer comes", async () => {
    let begun = 0;
    const { flow, notes } = flowOf(async (ctx) => {
      begun++;
      ctx.sendEvent(new Note({ text: "asking" }));
      ctx.writeEventToStream(new Note({ text: "shown" }));
      return (await ctx.waitForEvent(Answer, { prompt: ask("?") })).text;
    });
    const handler = flow.run();
    await waiting(handler);
    await handler.sendEvent(new Answer({ text: "yes" }));
    await handler;

    const shown = await handler.streamEvents().toArray();

    expect(begun).toBe(1);
    expect(notes).toEqual(["asking"]);
    expect(shown.map((item) => item.event.type)).toEqual(["Note", "Ask", "StopEvent"]);
  });

  it("runs again after a restore, and what it did through ctx is not done again", async () => {
    let begun = 0;
    let effects = 0;
    const { flow, notes } = flowOf(async (ctx) => {
      begun++;
      await ctx.run("effect", () => ++effects);
      await ctx.store.editState((state) => {
        state["count"] = Number(state["count"] ?? 0) + 1;
      });
      ctx.sendEvent(new Note({ text: "asking" }));
      const { text } = await ctx.waitForEvent(Answer, { prompt: ask("?") });
      return [text, await ctx.store.get("count")];
    });
    const first = flow.run();
    await waiting(first);

    const second = flow.resume(reload(flow, first.context));
    const restarts = second.streamEvents().filter(StepRestartedEvent).take(1).toArray();
    const { prompts } = await waiting(second);
    await second.answer(prompts[0]!.promptId, { text: "yes" });

    expect(await second).toEqual(["yes", 1]);
    expect([begun, effects, notes]).toEqual([2, 1, ["asking"]]);
    expect((await restarts)[0]?.event).toMatchObject({ step: "ask", attempt: 2 });
  });
});

describe("H3: two waits for one event in one step", () => {
  it("one after the other get one answer each, and both prompts are shown", async () => {
    const { flow } = flowOf(async (ctx) => {
      const first = await ctx.waitForEvent(Answer, { prompt: ask("first") });
      const second = await ctx.waitForEvent(Answer, { prompt: ask("second") });
      return [first.text, second.text];
    });
    const handler = flow.run();

    const before = await waiting(handler);
    await handler.sendEvent(new Answer({ text: "one" }));
    const between = await waiting(handler);
    await handler.sendEvent(new Answer({ text: "two" }));

    expect(await handler).toEqual(["one", "two"]);
    expect([before.prompts[0]?.event, between.prompts[0]?.event]).toEqual([ask("first"), ask("second")]);
  });

  it("at once need keys", async () => {
    const { flow } = flowOf(async (ctx) => Promise.all([ctx.waitForEvent(Answer), ctx.waitForEvent(Answer)]));

    const error = await rejection(flow.run());

    expect(error).toMatchObject({ code: "KEY_REUSED", hint: expect.stringContaining("key") });
  });

  it("at once with one key for both is refused as well", async () => {
    const { flow } = flowOf(async (ctx) =>
      Promise.all([ctx.waitForEvent(Answer, { key: "a" }), ctx.waitForEvent(Answer, { key: "a" })]),
    );

    expect(await rejection(flow.run())).toMatchObject({ code: "KEY_REUSED" });
  });
});

describe("H4: waits in parallel inside one step", () => {
  it("get their own answers, also after a restore", async () => {
    const { flow } = flowOf(async (ctx) => {
      const left = ctx.waitForEvent(Answer, { key: "left", prompt: ask("left") });
      const right = ctx.waitForEvent(Answer, { key: "right", prompt: ask("right") });
      return [(await left).text, (await right).text];
    });
    const first = flow.run();
    const { prompts } = await waiting(first);

    const second = flow.resume(reload(flow, first.context));
    await second.answer(prompts[1]!.promptId, { text: "to the right" });
    await second.answer(prompts[0]!.promptId, { text: "to the left" });

    expect(await second).toEqual(["to the left", "to the right"]);
  });
});

describe("H5: a second matching event before the continuation has finished", () => {
  it("starts no second continuation: it waits for the next wait", async () => {
    let continuations = 0;
    const { flow } = flowOf(async (ctx) => {
      const first = await ctx.waitForEvent(Answer);
      continuations++;
      await settle();
      const second = await ctx.waitForEvent(Answer);
      return [first.text, second.text];
    });
    const handler = flow.run();
    await waiting(handler);

    const receipts = [
      await handler.sendEvent(new Answer({ text: "one" })),
      await handler.sendEvent(new Answer({ text: "two" })),
    ];

    expect(receipts.map((receipt) => receipt.status)).toEqual(["accepted", "accepted"]);
    expect(await handler).toEqual(["one", "two"]);
    expect(continuations).toBe(1);
  });
});

describe("H6: one answer, and many prompts that it fits", () => {
  it("goes to the oldest of them only", async () => {
    const { flow } = flowOf(async (ctx) => {
      const waits = ["a", "b", "c"].map((key) => ctx.waitForEvent(Answer, { key, prompt: ask(key) }));
      return (await Promise.all(waits)).map((answer) => answer.text);
    });
    const handler = flow.run();
    await waiting(handler);

    await handler.sendEvent(new Answer({ text: "1" }));
    const { prompts } = await waiting(handler);
    await handler.sendEvent(new Answer({ text: "2" }));
    await handler.sendEvent(new Answer({ text: "3" }));

    expect(prompts.map((prompt) => (prompt.event as Ask).question)).toEqual(["b", "c"]);
    expect(await handler).toEqual(["1", "2", "3"]);
  });
});

describe("H7: a wait between two failures", () => {
  it("keeps the count of attempts, over the answer and over a restore", async () => {
    let attempts = 0;
    const seen: number[] = [];
    const { flow } = flowOf(
      async (ctx) => {
        attempts++;
        seen.push(ctx.retryInfo().retry);
        await ctx.waitForEvent(Answer);
        throw new Error(`attempt ${attempts}`);
      },
      { attempts: 3, waitMs: 1 },
    );
    const first = flow.run();
    await waiting(first);

    const second = flow.resume(reload(flow, first.context));
    await waiting(second);
    await second.sendEvent(new Answer({ text: "go" }));
    const error = await rejection(second);

    // One more start for the restore, and it is no failure.
    expect(error.message).toBe("attempt 4");
    expect(seen).toEqual([0, 0, 1, 2]);
  });
});

describe("H8: a wait that has timed out, in a step that is retried", () => {
  it("asks again and waits its whole time again", async () => {
    const { flow } = flowOf(
      async (ctx) => (await ctx.waitForEvent(Answer, { prompt: ask("?"), timeout: "10s" })).text,
      { attempts: 2, waitMs: 1_000 },
    );
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    const first = await waiting(handler);

    await clock.advance(11_000);
    await clock.advance(9_000);
    const second = await waiting(handler);
    await handler.answer(second.prompts[0]!.promptId, { text: "late" });

    expect(await handler).toBe("late");
    expect(second.prompts[0]?.promptId).not.toBe(first.prompts[0]?.promptId);
    expect(second.wakeAtMs! - first.wakeAtMs!).toBe(11_000);
  });
});

describe("H9: a second wait after a caught timeout", () => {
  it("does not time out at once", async () => {
    const { flow } = flowOf(async (ctx) => {
      const error = await rejection(ctx.waitForEvent(Answer, { timeout: "10s" }));
      const { text } = await ctx.waitForEvent(Answer, { timeout: "10s" });
      return [error.code, text];
    });
    const clock = withVirtualClock(flow);
    const handler = flow.run();

    await clock.advance(15_000);
    await handler.sendEvent(new Answer({ text: "second" }));

    expect(await handler).toEqual(["WAIT_TIMED_OUT", "second"]);
  });
});

describe("H10: the timer of an answered wait", () => {
  it("does not end a later wait with the same key", async () => {
    const { flow } = flowOf(async (ctx) => {
      const first = await ctx.waitForEvent(Answer, { key: "same", timeout: 500 });
      const second = await ctx.waitForEvent(Answer, { key: "same", timeout: "30s" });
      return [first.text, second.text];
    });
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    await waiting(handler);
    await handler.sendEvent(new Answer({ text: "one" }));

    await clock.advance(29_000);
    const { wakeAtMs } = await waiting(handler);
    await handler.sendEvent(new Answer({ text: "two" }));

    expect(await handler).toEqual(["one", "two"]);
    expect(wakeAtMs).toBe(clock.now() + 1_000);
    expect(clock.pending).toBe(0);
  });
});

describe("H11: a wait that a second attempt asks for again", () => {
  it("keeps the answer it had, and its prompt is shown once", async () => {
    let attempts = 0;
    const { flow } = flowOf(
      async (ctx) => {
        const { text } = await ctx.waitForEvent(Answer, { prompt: ask("?") });
        if (++attempts === 1) throw new Error("after the answer");
        return text;
      },
      { attempts: 2 },
    );
    const handler = flow.run();
    await waiting(handler);
    await handler.sendEvent(new Answer({ text: "kept" }));

    expect(await handler).toBe("kept");
    expect(await handler.streamEvents().filter(Ask).toArray()).toHaveLength(1);
  });

  it("takes an answer that comes between the attempts", async () => {
    let attempts = 0;
    const { flow } = flowOf(
      async (ctx) => {
        const answer = ctx.waitForEvent(Answer, { prompt: ask("?") });
        if (++attempts === 1) throw new Error("before the answer");
        return (await answer).text;
      },
      { attempts: 2, waitMs: 1_000 },
    );
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    await settle();

    const receipt = await handler.sendEvent(new Answer({ text: "early" }));
    await clock.advance(1_000);

    expect(receipt.status).toBe("accepted");
    expect(await handler).toBe("early");
  });
});
