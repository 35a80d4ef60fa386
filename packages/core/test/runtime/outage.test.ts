/** The limit of the active time of a run counts no time in which no process had the run. */
import { expect, it } from "vitest";
import { defineWorkflow, event, StartEvent, StopEvent, type Workflow } from "../../src/index.js";
import { Machine } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

const MINUTE = 60_000;

class Shown extends event("Shown", {}) {}

/** Its first attempt is at work when its process is killed. */
function flowOf(attempt: { isFirst: boolean }, streams: readonly (typeof Shown)[] = []): Workflow {
  return defineWorkflow("flow")
    .step("work", { on: StartEvent, emits: StopEvent, streams }, async () => {
      if (attempt.isFirst) await new Promise(() => {});
      return new StopEvent({ result: "done" });
    })
    .build();
}

it.each([
  ["the same code", []],
  ["changed code", [Shown]],
])("does not count an outage, under %s", async (_name, streams) => {
  const machine = new Machine();
  const attempt = { isFirst: true };
  const first = machine.open({ flow: flowOf(attempt) });
  await first.runtime.run("flow", {}, { runId: "one", timeout: "1m" }).accepted;
  await settle();
  await machine.clock.advance(MINUTE / 2);
  first.kill();
  attempt.isFirst = false;
  await machine.clock.advance(60 * MINUTE);

  const { runtime } = machine.open({ flow: flowOf(attempt, streams) });
  expect(await runtime.start()).toBe(1);
  expect(await runtime.handle("one")).toBe("done");
});

it("counts the time of an attempt that its process survives", async () => {
  const machine = new Machine();
  const { runtime } = machine.open({ flow: flowOf({ isFirst: true }) });
  const run = runtime.run("flow", {}, { runId: "one", timeout: "1m" });
  await run.accepted;
  await machine.clock.advance(MINUTE + 1);
  await expect(run).rejects.toMatchObject({ code: "RUN_TIMED_OUT" });
});
