/** The outcome of a run that works is `null` at once, however it has just come into memory. */
import { expect, it } from "vitest";
import { createRuntime, memoryStore } from "../../src/entries/runtime.js";
import { defineWorkflow, StartEvent, StopEvent } from "../../src/index.js";

it.each([{}, { tenant: "red" }, { queue: "llm" }, { dedupe: { key: "a", for: "10m" } }] as const)(
  "of a run started with %j",
  async (options) => {
    const work = defineWorkflow("work")
      .step("work", { on: StartEvent, emits: StopEvent }, async () => {
        await new Promise(() => {});
        return new StopEvent({ result: "never" });
      })
      .build();
    const queues = { llm: { concurrency: 1 } };
    const runtime = createRuntime({ workflows: { work }, store: memoryStore(), queues });
    const handle = runtime.run("work", {}, options);
    await handle.accepted;

    expect(await handle.outcome()).toBeNull();
    expect(await runtime.handle(handle.runId, { tenant: handle.tenant }).outcome()).toBeNull();
    await runtime.stop({ drainMs: 0 });
  },
);
