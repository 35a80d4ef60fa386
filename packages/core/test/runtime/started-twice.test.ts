import { expect, it } from "vitest";
import { createRuntime, memoryStore, type RunHandle, type RunStore } from "../../src/entries/runtime.js";
import { defineWorkflow, StartEvent, StopEvent } from "../../src/index.js";
import { Mortal, silent, TurnClock } from "../support/runtimes.js";

const HOUR = 3_600_000;

it("a run that is started again while it is taken up is the same run", async () => {
  const store = memoryStore();
  let hangs = true;
  const flow = defineWorkflow("flow")
    .step("work", { on: StartEvent, emits: StopEvent }, async () => {
      if (hangs) await new Promise(() => {});
      return new StopEvent({ result: "done" });
    })
    .build();
  const options = { workflows: { flow }, clock: new TurnClock(), log: silent };
  const mortal = new Mortal(store);
  await createRuntime({ ...options, store: mortal.store }).run("flow", {}, { runId: "run" }).accepted;
  mortal.kill();
  hangs = false;

  let again: RunHandle<unknown> | undefined;
  const { store: inner } = new Mortal(store, Number.POSITIVE_INFINITY, HOUR);
  const claimDue: RunStore["claimDue"] = async (lease) => {
    const claimed = await inner.claimDue(lease);
    if (claimed.length > 0) again ??= next.run("flow", {}, { runId: "run" });
    return claimed;
  };
  const next = createRuntime({
    ...options,
    store: new Proxy(inner, { get: (target, name) => (name === "claimDue" ? claimDue : Reflect.get(target, name)) }),
  });
  await next.start();

  await again?.accepted;
  expect(await again).toBe("done");
  await next.stop();
});
