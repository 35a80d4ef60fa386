/** Many new runs in one process, with steps longer than a lease: no attempt is lost to the process itself. */
import { setTimeout as pause } from "node:timers/promises";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { expect, it } from "vitest";
import { TestSchema } from "./support/stores.js";

it("has one attempt for each of 2,000 new runs, with a lease of 1 s and steps of 3 s", {
  timeout: 300_000,
}, async () => {
  await using schema = new TestSchema();
  let attempts = 0;
  const errors: string[] = [];
  const flow = defineWorkflow("flow")
    .step("work", { on: StartEvent, emits: StopEvent }, async () => {
      attempts++;
      await pause(3_000);
      return new StopEvent({ result: 1 });
    })
    .build();
  const log = { info() {}, error: (message: string) => void errors.push(message) };
  const runtime = createRuntime({ workflows: { flow }, store: schema.open(), leaseMs: 1_000, log });
  const web = createRuntime({ workflows: { flow }, store: schema.open(), execute: false, log });
  await runtime.start();

  await Promise.all(Array.from({ length: 2_000 }, () => web.run("flow", {})));
  await Promise.all([web.stop(), runtime.stop()]);

  expect({ attempts, errors }).toEqual({ attempts: 2_000, errors: [] });
});
