/** A run is idle only when no call of it is at work. */
import { describe, expect, it } from "vitest";
import { type Context, defineWorkflow, HumanResponseEvent, StartEvent, StopEvent } from "../src/index.js";
import { gate, waiting } from "./support/runs.js";

class Go extends HumanResponseEvent.define("Go", {}) {}

describe("a run with a call at work", () => {
  const openWait = { on: StartEvent, emits: StopEvent, waits: Go } as const;

  it("is idle only when its call has ended, whatever else its step waits for", async () => {
    const work = gate();
    const flow = defineWorkflow("busy")
      .step("both", openWait, async (_ev, ctx) => {
        await Promise.all([ctx.waitForEvent(Go), ctx.run("work", () => work.promise)]);
        return new StopEvent({ result: "both" });
      })
      .build();
    const handler = flow.run({});
    const seen: string[] = [];
    const idle = waiting(handler).then(() => void seen.push("idle"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    seen.push("still at work");
    work.open();
    await idle;

    expect(seen).toEqual(["still at work", "idle"]);
    await handler.sendEvent(new Go({}));
    expect(await handler).toBe("both");
  });

  it.each([
    ["a call that fails", (ctx: Context, work: Promise<unknown>) => ctx.run("work", () => work)],
    ["an edit that fails", (ctx: Context, work: Promise<unknown>) => ctx.store.editState(() => work)],
  ])("is idle after %s, too", async (_name, make) => {
    const work = gate<unknown>();
    const flow = defineWorkflow("failing")
      .step("both", openWait, async (_ev, ctx) => {
        const failing = make(ctx as Context, work.promise).catch((error: Error) => error.message);
        await ctx.waitForEvent(Go);
        return new StopEvent({ result: await failing });
      })
      .build();
    const handler = flow.run({});
    const idle = waiting(handler);
    await new Promise((resolve) => setTimeout(resolve, 20));
    work.open(Promise.reject(new Error("no luck")));
    await idle;

    await handler.sendEvent(new Go({}));
    expect(await handler).toBe("no luck");
  });

  it("keeps the run of its parent from being idle", async () => {
    const work = gate();
    const child = defineWorkflow("child")
      .step("both", openWait, async (_ev, ctx) => {
        await Promise.race([ctx.waitForEvent(Go), ctx.run("work", () => work.promise)]);
        return new StopEvent({ result: "done" });
      })
      .build();
    const parent = defineWorkflow("parent", { children: { child } })
      .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        return new StopEvent({ result: await ctx.runChild(child, {}) });
      })
      .build();
    const handler = parent.run({});
    let isIdle = false;
    void handler.idle().then(() => (isIdle = true));
    await new Promise((resolve) => setTimeout(resolve, 20));

    expect(isIdle).toBe(false);
    work.open();
    expect(await handler).toBe("done");
  });
});
