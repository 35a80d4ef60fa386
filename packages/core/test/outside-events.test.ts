/** Events that come from outside: taken by exactly who they are for, kept for later, or refused with a reason. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  Context,
  defineWorkflow,
  ExternalEvent,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  type Receipt,
  StartEvent,
  StopEvent,
  WorkflowError,
} from "../src/index.js";
import { gate, rejection, reload, waiting } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

class Ask extends InputRequiredEvent.define("Ask", { question: z.string() }) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Twin extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Poke extends ExternalEvent.define("Poke", { n: z.number().default(0) }) {}
class Unknown extends ExternalEvent.define("Pock", {}) {}
class Go extends event("Go") {}

const stopped = (result: unknown): StopEvent => new StopEvent({ result });
const answer = (text: string): Answer => new Answer({ text });
const refused = (code: string, hint: RegExp): unknown => ({
  status: "refused",
  code,
  hint: expect.stringMatching(hint),
});

/** `asking` waits with a prompt, `plain` without; both `heard` and `asking` accept answers as well. */
function talk() {
  const heard: string[] = [];
  const flow = defineWorkflow("talk")
    .step("asking", { on: [StartEvent, Answer], waits: Answer, streams: Ask, emits: StopEvent }, async (ev, ctx) => {
      if (!StartEvent.is(ev)) return void heard.push(`asking took ${(ev as Answer).text}`);
      const { text } = await ctx.waitForEvent(Answer, { prompt: new Ask({ question: "?" }) });
      return stopped(text);
    })
    .step("hearing", { on: Answer }, async ({ text }) => void heard.push(`hearing took ${text}`))
    .build();
  return { flow, heard };
}

describe("an event that a wait and steps can take", () => {
  it("goes to the wait, and to every accepting step but that wait's own", async () => {
    const { flow, heard } = talk();
    const handler = flow.run();
    await waiting(handler);

    await handler.sendEvent(answer("hello"));

    expect(await handler).toBe("hello");
    expect(heard).toEqual(["hearing took hello"]);
  });

  it("goes to the step that is named only", async () => {
    const { flow, heard } = talk();
    const handler = flow.run();
    await waiting(handler);

    await handler.sendEvent(answer("for hearing"), { step: "hearing" });
    await waiting(handler);
    await handler.sendEvent(answer("for the wait"), { step: "asking" });

    expect(await handler).toBe("for the wait");
    expect(heard).toEqual(["hearing took for hearing"]);
  });

  it("as an answer goes to its prompt only", async () => {
    const { flow, heard } = talk();
    const handler = flow.run();
    const { prompts } = await waiting(handler);

    await handler.answer(prompts[0]!.promptId, { text: "hello" });

    expect(await handler).toBe("hello");
    expect(heard).toEqual([]);
  });
});

describe("the oldest open wait", () => {
  it("is the one that was opened first, also after a restore", async () => {
    const first = gate();
    const flow = defineWorkflow("oldest")
      .step("late", { on: StartEvent, waits: Answer, emits: StopEvent }, async (_, ctx) => {
        await ctx.run("hold", () => first.promise);
        return stopped(`late got ${(await ctx.waitForEvent(Answer)).text}`);
      })
      .step("early", { on: StartEvent, waits: Answer, emits: StopEvent }, async (_, ctx) => {
        return stopped(`early got ${(await ctx.waitForEvent(Answer)).text}`);
      })
      .build();
    const handler = flow.run();
    await settle();
    first.open();
    await waiting(handler);
    const restored = flow.resume(reload(flow, handler.context));

    await handler.sendEvent(answer("it"));
    await restored.sendEvent(answer("it"));

    expect([await handler, await restored]).toEqual(["early got it", "early got it"]);
  });
});

describe("an event that nobody takes yet", () => {
  function slow() {
    const held = gate();
    const flow = defineWorkflow("slow", {})
      .step("start", { on: StartEvent, emits: Go }, async () => {
        await held.promise;
        return new Go();
      })
      .step("plain", { on: Go, waits: [Answer, Poke], streams: Ask, emits: StopEvent }, async (_, ctx) => {
        const kept = await ctx.waitForEvent(Poke);
        const { text } = await ctx.waitForEvent(Answer, { prompt: new Ask({ question: "?" }) });
        return stopped([kept.n, text]);
      })
      .build({ inboxSize: 3 });
    return { flow, held };
  }

  it("is kept for a wait without a prompt; an answer from before the question is none", async () => {
    const { flow, held } = slow();
    const handler = flow.run();
    await settle();

    const early = await handler.sendEvent(answer("before the question"));
    const kept = await handler.sendEvent(new Poke({ n: 7 }));
    held.open();
    await waiting(handler);
    await handler.sendEvent(answer("after it"));

    expect([early.status, kept.status]).toEqual(["accepted", "accepted"]);
    expect(await handler).toEqual([7, "after it"]);
  });

  it("is in the snapshot", async () => {
    const { flow, held } = slow();
    const first = flow.run();
    await settle();
    await first.sendEvent(new Poke({ n: 7 }));
    const context = reload(flow, first.context);
    await first.cancel();
    held.open();

    const second = flow.resume(context);
    await waiting(second);
    await second.sendEvent(answer("a"));

    expect(await second).toEqual([7, "a"]);
  });

  it("is refused when the inbox is full, and that changes nothing", async () => {
    const { flow, held } = slow();
    const handler = flow.run();
    await settle();
    const receipts: Receipt[] = [];
    for (const n of [1, 2, 3, 4]) receipts.push(await handler.sendEvent(new Poke({ n })));

    held.open();
    await waiting(handler);
    await handler.sendEvent(answer("a"));

    expect(receipts.map(({ status }) => status)).toEqual(["accepted", "accepted", "accepted", "refused"]);
    expect(receipts[3]).toEqual(refused("INBOX_FULL", /at most 3/));
    expect(await handler).toEqual([1, "a"]);
  });

  it("is kept up to 1,000 times", async () => {
    const held = gate();
    const flow = defineWorkflow("default")
      .step("start", { on: StartEvent, waits: Poke, emits: StopEvent }, async (_, ctx) => {
        await held.promise;
        return stopped((await ctx.waitForEvent(Poke)).n);
      })
      .build();
    const handler = flow.run();
    await settle();

    const receipts = await Promise.all(Array.from({ length: 1_001 }, (_, n) => handler.sendEvent(new Poke({ n }))));
    held.open();

    expect(receipts.filter(({ status }) => status === "accepted")).toHaveLength(1_000);
    expect(receipts.at(-1)).toEqual(refused("INBOX_FULL", /1000/));
    expect(await handler).toBe(0);
  });

  it("is refused when no step that can still run waits for it", async () => {
    const flow = defineWorkflow("past")
      .step("start", { on: StartEvent, waits: Poke, emits: Go }, async (_, ctx) => {
        await ctx.waitForEvent(Poke);
        return new Go();
      })
      .step("end", { on: Go, waits: Answer, emits: StopEvent }, async (_, ctx) =>
        stopped((await ctx.waitForEvent(Answer)).text),
      )
      .build();
    const handler = flow.run();
    await waiting(handler);
    await handler.sendEvent(new Poke());
    await waiting(handler);

    const receipt = await handler.sendEvent(new Poke());

    expect(receipt).toEqual(refused("EVENT_NOT_ACCEPTED", /none that can still run waits for it/));
  });
});

describe("an event is refused, with a code and a hint,", () => {
  it.each([
    ["for a step that does not exist", answer("a"), { step: "haring" }, "STEP_UNKNOWN", /asking, hearing/],
    ["when the workflow does not name it", new Unknown(), {}, "EVENT_NOT_ACCEPTED", /No step of "talk" names Pock/],
    [
      "when its class only has the same type",
      new Twin({ text: "" }),
      {},
      "EVENT_NOT_ACCEPTED",
      /another class of that type/,
    ],
  ])("%s", async (_, sent, options, code, hint) => {
    const handler = talk().flow.run();
    await waiting(handler);

    const receipt = await handler.sendEvent(sent as never, options);

    expect(receipt).toEqual(refused(code, hint));
    expect((await waiting(handler)).prompts).toHaveLength(1);
  });

  it("after the end of the run", async () => {
    const handler = talk().flow.run();
    const { prompts } = await waiting(handler);
    await handler.sendEvent(answer("a"));
    await handler;

    const sent = await handler.sendEvent(answer("b"));
    const answered = await handler.answer(prompts[0]!.promptId, { text: "b" });

    // A completed run can be neither resumed nor retried.
    const says = /^The run is completed: start a new one, resume a cancelled or retry a failed one\.$/;
    expect([sent, answered]).toEqual([refused("RUN_FINISHED", says), refused("PROMPT_CLOSED", says)]);
  });

  it("is told to whoever inspects as well", async () => {
    const { flow } = talk();
    const told: unknown[] = [];
    flow.on("event.refused", ({ code, eventType }) => void told.push([code, eventType]));
    const handler = flow.run();
    await waiting(handler);

    await handler.sendEvent(answer("a"), { step: "nobody" });

    expect(told).toEqual([["STEP_UNKNOWN", "Answer"]]);
  });

  it("and a stop event, or what is not an event, is an error", async () => {
    const handler = talk().flow.run();

    const errors = await Promise.all(
      [stopped(1), {}].map((sent) => rejection(Promise.resolve().then(() => handler.sendEvent(sent as never)))),
    );

    expect(errors.map((error) => WorkflowError.is(error, "EVENT_NOT_SENDABLE"))).toEqual([true, true]);
  });
});

describe("a prompt", () => {
  it("is answered once: a second click cannot approve the next question", async () => {
    const flow = defineWorkflow("twice")
      .step("ask", { on: StartEvent, waits: Answer, streams: Ask, emits: StopEvent }, async (_, ctx) => {
        const one = await ctx.waitForEvent(Answer, { prompt: new Ask({ question: "one" }) });
        const two = await ctx.waitForEvent(Answer, { prompt: new Ask({ question: "two" }) });
        return stopped([one.text, two.text]);
      })
      .build();
    const handler = flow.run();
    const { prompts } = await waiting(handler);

    const clicks = await Promise.all(["a", "b"].map((text) => handler.answer(prompts[0]!.promptId, { text })));
    const next = await waiting(handler);
    await handler.answer(next.prompts[0]!.promptId, { text: "c" });

    expect(clicks).toEqual([
      expect.objectContaining({ status: "accepted" }),
      refused("PROMPT_CLOSED", /answered, timed out or was withdrawn/),
    ]);
    expect(await handler).toEqual(["a", "c"]);
  });

  it("that has timed out is closed", async () => {
    const flow = defineWorkflow("late")
      .step("ask", { on: StartEvent, waits: Answer, streams: Ask, emits: StopEvent }, async (_, ctx) => {
        await rejection(ctx.waitForEvent(Answer, { prompt: new Ask({ question: "?" }), timeout: "1s" }));
        await ctx.sleep("1h");
        return stopped(null);
      })
      .build();
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    const { prompts } = await waiting(handler);
    await clock.advance(1_000);

    expect(await handler.answer(prompts[0]!.promptId, { text: "a" })).toEqual(refused("PROMPT_CLOSED", /timed out/));
  });

  it("refuses fields that do not fit its answer, and stays open", async () => {
    const handler = talk().flow.run();
    const { prompts } = await waiting(handler);

    const error = await rejection(handler.answer(prompts[0]!.promptId, { text: 7 }));

    expect(error).toMatchObject({ code: "EVENT_INVALID", message: expect.stringContaining("text") });
    expect((await waiting(handler)).prompts).toEqual(prompts);
  });

  it("that a step emits is open until a step takes the answer, also in a snapshot", async () => {
    const flow = defineWorkflow("emitted")
      .step("ask", { on: StartEvent, emits: Ask }, async () => new Ask({ question: "?" }))
      .step("take", { on: Answer, emits: StopEvent }, async ({ text }) => stopped(text))
      .build();
    const first = flow.run();
    const before = await waiting(first);
    const second = flow.resume(Context.fromDict(flow, first.context.toDict()));
    const { prompts } = await waiting(second);

    const receipt = await second.answer(prompts[0]!.promptId, { text: "a" });

    expect(prompts).toEqual(before.prompts);
    expect(receipt.status).toBe("accepted");
    expect(await second).toBe("a");
  });
});
