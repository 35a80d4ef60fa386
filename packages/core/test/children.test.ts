/** Workflows that run as part of another run. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  retryPolicy,
  StartEvent,
  StopEvent,
  step,
  stop,
  Workflow,
  WorkflowError,
  wait,
} from "../src/index.js";
import { gate, rejection, reload, waiting } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

class Ask extends InputRequiredEvent.define("Ask", { question: z.string() }) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Progress extends event("Progress", { percent: z.number() }) {}
class Begin extends StartEvent.define("Begin", { topic: z.string() }) {}

const stopped = <Result>(result: Result): StopEvent<Result> => new StopEvent({ result });
const once = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) });

/** What the children of a test do next; `begun` counts their starts. */
let behave: (topic: string) => Promise<string> = async (topic) => topic;
let begun = 0;

class Digest extends Workflow {
  work = step({ on: Begin, emits: StopEvent, waits: Answer, streams: [Ask, Progress] }, async (ev, ctx) => {
    begun++;
    ctx.writeEventToStream(new Progress({ percent: 50 }));
    if (ev.topic !== "ask") return stopped(await behave(ev.topic));
    const { text } = await ctx.waitForEvent(Answer, { prompt: new Ask({ question: "which?" }) });
    return stopped(`${ev.topic}: ${text}`);
  });
}

class Outer extends Workflow {
  static readonly children = { digest: Digest };
  work = step({ on: Begin, emits: StopEvent, retry: once }, async ({ topic }, ctx) =>
    stopped(await ctx.runChild(Digest, { topic })),
  );
}

describe("runChild", () => {
  it("gives the child's result; its events bubble with their origin, and end no stream", async () => {
    behave = async (topic) => `digest of ${topic}`;
    const handler = new Outer().run({ topic: "ships" });

    const shown = await handler.streamEvents().toArray();

    expect(await handler).toBe("digest of ships");
    expect(shown.map(({ origin, event: { type } }) => [origin, type])).toEqual([
      ["digest", "Progress"],
      [null, "StopEvent"],
    ]);
  });

  it("bubbles through several levels", async () => {
    class Top extends Workflow {
      static readonly children = { outer: Outer };
      work = step({ on: Begin, emits: StopEvent }, async ({ topic }, ctx) =>
        stopped(await ctx.runChild("outer", { topic })),
      );
    }
    const handler = new Top().run({ topic: "ships" });

    const [first] = await handler.streamEvents().filter(Progress).toArray();

    expect(first?.origin).toBe("outer/digest");
  });

  it("rejects with the child's failure, and a retry starts a new child", async () => {
    let failures = 1;
    begun = 0;
    behave = async (topic) => {
      if (failures-- > 0) throw new TypeError("unreadable");
      return topic;
    };
    const flow = new Outer();
    const failed: unknown[] = [];
    flow.on("step.failed", ({ error }) => void failed.push(error));

    expect(await flow.run({ topic: "ships" })).toBe("ships");
    expect(begun).toBe(2);
    expect(failed).toEqual([expect.objectContaining({ code: "CHILD_FAILED", cause: expect.any(TypeError) })]);
  });

  it("ends a child that takes longer than the call allows, also after a restore", async () => {
    const slow = defineWorkflow("slow")
      .step("work", { on: StartEvent, emits: StopEvent }, () => new Promise<never>(() => {}))
      .build();
    const flow = defineWorkflow("hasty", { children: { slow } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
        const error = await rejection(ctx.runChild(slow, {}, { timeout: "2s" }));
        return stopped([error.code, (error.cause as { readonly code?: string }).code]);
      })
      .build();
    const clock = withVirtualClock(flow);
    withVirtualClock(slow, { clock });
    const first = flow.run();
    await settle();
    const context = reload(flow, first.context);
    await first.cancel();
    const again = flow.resume(context);

    await clock.advance(2_000);

    expect(await again).toEqual(["CHILD_FAILED", "RUN_TIMED_OUT"]);
  });

  it("refuses a workflow that is no child, and input that does not fit", async () => {
    class Strange extends Workflow {
      static readonly children = { digest: Digest };
      work = step({ on: Begin, emits: StopEvent }, async (_, ctx) => {
        const { code, details } = await rejection(ctx.runChild("digst"));
        const misfit = await rejection(ctx.runChild("digest", { topic: 7 } as never));
        return stopped([code, details?.["reason"], misfit.code]);
      });
    }

    expect(await new Strange().run({ topic: "" })).toEqual(["OPTION_INVALID", "child", "EVENT_INVALID"]);
  });

  it("of several at once keeps them apart by key, also after a restore", async () => {
    class Both extends Workflow {
      static readonly children = { digest: Digest };
      work = step({ on: StartEvent, emits: StopEvent }, async (_, ctx) => {
        const runs = ["a", "b"].map((key) => ctx.runChild(Digest, { topic: "ask" }, { key }));
        return stopped(await Promise.all(runs));
      });
    }
    const flow = new Both();
    const first = flow.run();
    const { prompts } = await waiting(first);

    const second = flow.resume(reload(flow, first.context));
    await second.answer(prompts[1]!.promptId, { text: "right" });
    await second.answer(prompts[0]!.promptId, { text: "left" });

    expect(await second).toEqual(["ask: left", "ask: right"]);
  });
});

describe("a child that waits", () => {
  it("is asked and answered through its parent, in one snapshot with it", async () => {
    begun = 0;
    const flow = new Outer();
    const first = flow.run({ topic: "ask" });
    const before = await waiting(first);

    const second = flow.resume(reload(new Outer(), first.context) as never);
    const { prompts } = await waiting(second);
    const receipt = await second.answer(prompts[0]!.promptId, { text: "this" });
    const again = await second.answer(prompts[0]!.promptId, { text: "that" });

    expect(prompts).toEqual(before.prompts);
    expect(prompts[0]?.runId).not.toBe(second.runId);
    expect([receipt.status, again]).toEqual(["accepted", expect.objectContaining({ status: "refused" })]);
    expect(await second).toBe("ask: this");
    expect(begun).toBe(2); // its step ran again after the restore; the child did not begin again
  });

  it("takes an event that is sent to its parent", async () => {
    const handler = new Outer().run({ topic: "ask" });
    await waiting(handler);

    const receipt = await handler.sendEvent(new Answer({ text: "sent" }));

    expect(receipt.status).toBe("accepted");
    expect(await handler).toBe("ask: sent");
  });

  it("goes on by itself after a restore, before the step of the parent asks for it", async () => {
    let isSlow = false;
    const held = gate();
    class Slow extends Workflow {
      static readonly children = { digest: Digest };
      work = step({ on: Begin, emits: StopEvent }, async ({ topic }, ctx) => {
        if (isSlow) await held.promise;
        return stopped(await ctx.runChild(Digest, { topic }));
      });
    }
    const flow = new Slow();
    const first = flow.run({ topic: "ask" });
    await waiting(first);
    isSlow = true;
    const second = flow.resume(reload(flow, first.context));
    await settle();

    const receipt = await second.sendEvent(new Answer({ text: "early" }));
    await settle();
    held.open();

    expect(receipt.status).toBe("accepted");
    expect(await second).toBe("ask: early");
  });
});

describe("the end of a parent", () => {
  it("by cancellation cancels its children, and a resume takes them up again", async () => {
    const flow = new Outer();
    const handler = flow.run({ topic: "ask" });
    await waiting(handler);

    await handler.cancel("enough");
    const outcome = await handler.idle();
    const resumed = flow.resume(handler.context);
    const { prompts } = await waiting(resumed);
    await resumed.answer(prompts[0]!.promptId, { text: "after all" });

    expect(outcome).toEqual({ status: "cancelled", reason: "enough" });
    expect(await resumed).toBe("ask: after all");
  });

  it("cancels them before anybody can take them up again, also where it is the turn of somebody else", async () => {
    class Long extends Workflow {
      static readonly children = { digest: Digest };
      work = step({ on: Begin, emits: StopEvent }, async ({ topic }, ctx) => {
        ctx.signal.addEventListener("abort", () => clock.skip(10)); // longer than a turn
        return stopped(await ctx.runChild(Digest, { topic }));
      });
    }
    const flow = new Long();
    const clock = withVirtualClock(flow);
    const handler = flow.run({ topic: "ask" });
    await waiting(handler);
    await handler.cancel("enough");
    await handler.idle();

    const resumed = flow.resume(handler.context);
    const { prompts } = await waiting(resumed);
    await resumed.answer(prompts[0]!.promptId, { text: "after all" });

    expect(await resumed).toBe("ask: after all");
  });

  it("of the step that started it, without awaiting it, cancels a child", async () => {
    const flow = defineWorkflow("careless", { children: { digest: Digest } })
      .step("work", { on: StartEvent, emits: StopEvent, waits: Answer }, async (_, ctx) => {
        void ctx.runChild(Digest, { topic: "ask" });
        await ctx.sleep(0);
        return stopped("early");
      })
      .build();
    const handler = flow.run();

    expect(await handler).toBe("early");
    expect(await handler.sendEvent(new Answer({ text: "late" }))).toMatchObject({
      status: "refused",
      code: "RUN_FINISHED",
    });
    expect(handler.context.toDict()["children"]).toBeUndefined();
  });

  it("by a timeout ends its children", async () => {
    const signals: AbortSignal[] = [];
    class Endless extends Workflow {
      work = step({ on: Begin, emits: StopEvent }, async (_, ctx) => {
        signals.push(ctx.signal);
        await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
        return stopped("never");
      });
    }
    class Parent extends Workflow {
      static readonly children = { endless: Endless };
      work = step({ on: Begin, emits: StopEvent }, async ({ topic }, ctx) =>
        stopped(await ctx.runChild(Endless, { topic })),
      );
    }
    const flow = new Parent();
    const clock = withVirtualClock(flow);
    const failure = rejection(flow.run({ topic: "" }, { deadline: clock.now() + 1_000 }));

    await clock.advance(1_000);

    expect(await failure).toMatchObject({ code: "RUN_TIMED_OUT" });
    expect(signals[0]?.aborted).toBe(true);
  });

  it("is not stuck while a child works, and idle only when the child is", async () => {
    const held = gate();
    behave = async () => {
      await held.promise;
      return "done";
    };
    const handler = new Outer().run({ topic: "slow" });
    let isIdle = false;
    const idle = handler.idle().then((outcome) => {
      isIdle = true;
      return outcome;
    });
    await settle();
    const before = isIdle;

    held.open();

    expect(await idle).toEqual({ status: "completed", result: "done" });
    expect(before).toBe(false);
  });
});

describe("a timeout", () => {
  it("of the child itself fails the child", async () => {
    const child = defineWorkflow("short")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
        await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
        return stopped(1);
      })
      .build({ timeout: 1_000 });
    const flow = defineWorkflow("patient", { children: { child } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
        const error = await rejection(ctx.runChild(child));
        return stopped([error.code, WorkflowError.is(error.cause, "RUN_TIMED_OUT")]);
      })
      .build();
    const clock = withVirtualClock(flow);
    withVirtualClock(child, { clock });
    const handler = flow.run();

    await clock.advance(1_000);

    expect(await handler).toEqual(["CHILD_FAILED", true]);
  });
});
