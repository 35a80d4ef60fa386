/** A message to a run that is in the memory of another process. */
import { expect, it } from "vitest";
import { createRuntime, memoryStore } from "../../src/entries/runtime.js";
import { keptOpen } from "../support/processes.js";
import { Poke, works } from "../support/queued.js";
import { settle, VirtualClock } from "../support/virtual-clock.js";

it("is taken at once where the store names the runs that others have changed", async () => {
  const { flows, begun } = works();
  const store = keptOpen(memoryStore());
  const clock = new VirtualClock();
  const worker = createRuntime({ workflows: flows, store, clock });
  await worker.start();
  await worker.run("ask", { id: "a" }, { runId: "a" }).idle();
  const web = createRuntime({ workflows: flows, store, clock, execute: false });

  const receipt = web.handle("a").sendEvent(new Poke({ n: 1 }));
  await settle();

  expect(begun).toEqual(["a"]);
  expect(await receipt).toMatchObject({ status: "accepted" });
});
