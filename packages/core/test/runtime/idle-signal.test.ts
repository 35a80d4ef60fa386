/** Whoever waits for a run to be idle may stop waiting. */
import { describe, expect, it } from "vitest";
import type { RunHandle } from "../../src/entries/runtime.js";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "../../src/index.js";
import { Machine } from "../support/processes.js";

class Go extends ExternalEvent.define("Go", {}) {}

function working() {
  let end = (): void => {};
  const flow = defineWorkflow("working")
    .step("work", { on: StartEvent, emits: StopEvent, waits: Go }, async (_ev, ctx) => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      await ctx.waitForEvent(Go);
      return new StopEvent({ result: "done" });
    })
    .build();
  const machine = new Machine();
  const { runtime } = machine.open({ flow });
  const run = runtime.run("flow", {}, { runId: "one" });
  const elsewhere = machine.open({ flow }).runtime.handle("one");
  return { machine, run, elsewhere, end: () => end() };
}

const nothing = Promise.resolve("still waiting");

describe("idle({ signal })", () => {
  it.each<[string, (of: ReturnType<typeof working>) => RunHandle]>([
    ["here", ({ run }) => run],
    ["elsewhere", ({ elsewhere }) => elsewhere],
  ])("rejects with the reason while the run is at work %s, and the run goes on", async (_where, pick) => {
    const flow = working();
    await flow.run.accepted;
    const handle = pick(flow);
    const enough = new AbortController();
    const others = handle.idle();
    const idle = handle.idle({ signal: enough.signal });
    idle.catch(() => {});
    await flow.machine.clock.advance(0);
    expect(await Promise.race([idle, nothing])).toBe("still waiting");
    enough.abort(new Error("enough"));

    await expect(idle).rejects.toThrow("enough");
    await expect(handle.idle({ signal: enough.signal })).rejects.toThrow("enough");
    flow.end();
    expect(await others).toMatchObject({ status: "waiting" });
    await handle.sendEvent(new Go({}));
    expect(await flow.run).toBe("done");
  });

  it("says where the run stands when it is idle in time", async () => {
    const { run, end, machine } = working();
    const idle = run.idle({ signal: new AbortController().signal });
    await machine.clock.advance(0);
    end();

    expect(await idle).toMatchObject({ status: "waiting", prompts: [] });
  });
});
