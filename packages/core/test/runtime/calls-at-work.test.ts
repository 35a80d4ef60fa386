/** A run stays in memory while a call of it is at work, whatever else its steps wait for. */
import { describe, expect, it } from "vitest";
import { createRuntime, memoryStore, type RuntimeOptions, type Workflows } from "../../src/entries/runtime.js";
import { type Context, defineWorkflow, HumanResponseEvent, StartEvent, StopEvent } from "../../src/index.js";
import { gate } from "../support/runs.js";

class Go extends HumanResponseEvent.define("Go", {}) {}

const log = { info() {}, error() {} };
const makes: Record<string, (ctx: Context, work: () => Promise<unknown>) => Promise<unknown>> = {
  "a call of ctx.run": (ctx, work) => ctx.run("work", work),
  "an edit": (ctx, work) => ctx.store.editState(work),
};
const settings: Record<string, Partial<RuntimeOptions<Workflows>>> = {
  maxConcurrentRuns: { maxConcurrentRuns: 5 },
  released: { idleReleaseMs: 0 },
  "idleReleaseMs: 0": { idleReleaseMs: 0 },
};
const cases = Object.keys(makes).flatMap((make) => Object.keys(settings).map((setting) => [make, setting] as const));

describe.each(cases)("a run with %s at work, with %s", (make, setting) => {
  function opened(isInChild: boolean) {
    const [began, work] = [gate(), gate<string>()];
    const calls: string[] = [];
    const waiter = defineWorkflow("waiter")
      .step("both", { on: StartEvent, emits: StopEvent, waits: Go }, async (_ev, ctx) => {
        const doing = makes[make]?.(ctx as Context, () => {
          calls.push("work");
          began.open();
          return work.promise;
        });
        await ctx.waitForEvent(Go);
        return new StopEvent({ result: await doing });
      })
      .build();
    const parent = defineWorkflow("parent", { children: { waiter } })
      .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        return new StopEvent({ result: await ctx.runChild(waiter, {}) });
      })
      .build();
    const workflows = { flow: isInChild ? parent : waiter };
    const runtime = createRuntime({
      workflows: workflows as Workflows,
      store: memoryStore(),
      log,
      ...settings[setting],
    });
    return { runtime, began, work, calls };
  }

  it.each([
    ["its own", false],
    ["that of a child", true],
  ])("does not leave memory: %s", async (_whose, isInChild) => {
    const { runtime, began, work, calls } = opened(isInChild);
    const handle = runtime.run("flow", {}, { runId: "one" });
    await began.promise;
    const idle = handle.idle();
    await new Promise((resolve) => setTimeout(resolve, 50));
    work.open("worked");

    expect((await idle).status).toBe("waiting");
    await handle.sendEvent(new Go({}));
    expect(await handle).toBe("worked");
    expect(calls).toEqual(["work"]);
    await runtime.stop();
  });

  it("is finished before the runtime stops", async () => {
    const { runtime, began, work, calls } = opened(false);
    const handle = runtime.run("flow", {}, { runId: "one" });
    await began.promise;
    const stopped = runtime.stop();
    await new Promise((resolve) => setTimeout(resolve, 20));
    work.open("worked");
    await stopped;
    void handle;

    expect(calls).toEqual(["work"]);
  });
});
