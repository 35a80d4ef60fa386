/** A step that ends its run as cancelled, and knows whether it was continued after an end. */
import { expect, it } from "vitest";
import { cancelOwnRun, continuationsOf } from "../src/entries/engine.js";
import { createRuntime, memoryStore } from "../src/entries/runtime.js";
import { defineWorkflow, StartEvent, StopEvent } from "../src/index.js";

function open() {
  const seen: number[] = [];
  const flow = defineWorkflow("ends")
    .step("only", { on: StartEvent, emits: StopEvent }, (_ev, ctx) => {
      seen.push(continuationsOf(ctx));
      if (seen.length === 1) throw new Error("no");
      if (seen.length > 2) return new StopEvent({ result: "done" });
      cancelOwnRun(ctx, "enough");
      return new Promise<never>(() => {});
    })
    .build();
  return { seen, runtime: createRuntime({ workflows: { ends: flow }, store: memoryStore() }) };
}

it("counts the ends after which the run was retried or resumed, and cancels with its reason", async () => {
  const { seen, runtime } = open();
  await runtime.run("ends", {}, { runId: "one" }).then(null, () => {});
  const cancelled = await runtime.retry("one").then(null, (error: unknown) => error);
  const { status } = await runtime.handle("one").summary();

  await runtime.resume("one").accepted;

  expect(cancelled).toMatchObject({ code: "RUN_CANCELLED", message: expect.stringContaining("enough") });
  expect(status).toBe("cancelled");
  await expect.poll(async () => (await runtime.handle("one").summary()).status).toBe("completed");
  expect(seen).toEqual([0, 1, 2]);
  await runtime.stop();
});

it("need the context of a step", () => {
  expect(() => continuationsOf({ runId: "one" })).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  expect(() => cancelOwnRun({ runId: "one" }, null)).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
});
