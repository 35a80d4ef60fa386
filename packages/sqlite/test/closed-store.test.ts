/** A program that closes the store of a runtime which still runs: a mistake, which the runtime reports once. */
import { setTimeout as sleep } from "node:timers/promises";
import { defineWorkflow, HumanResponseEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { expect, it } from "vitest";
import { openStore, temporaryFile } from "./files.js";

class Answer extends HumanResponseEvent.define("Answer", {}) {}

const waiting = defineWorkflow("waiting")
  .step("wait", { on: StartEvent, emits: StopEvent, waits: Answer }, async (_ev, ctx) => {
    await ctx.waitForEvent(Answer);
    return new StopEvent();
  })
  .build();

it("a runtime whose store was closed says so once, and asks it no more", async () => {
  const reports: { message: string; code: unknown }[] = [];
  const log = {
    info: () => {},
    error: (message: string, error: unknown) => reports.push({ message, code: (error as { code?: unknown }).code }),
  };
  const store = openStore(temporaryFile());
  const runtime = createRuntime({ workflows: { waiting }, store, log, leaseMs: 150 });
  await runtime.run("waiting", {}, { runId: "one" }).idle();

  await store.close();
  await expect(runtime.handle("one").sendEvent(new Answer({}))).rejects.toMatchObject({ code: "STORE_CLOSED" });
  await sleep(2_000); // two looks and many renewals

  expect(reports).toEqual([
    {
      message: "The store was closed before its runtime was stopped: the runtime has stopped working.",
      code: "STORE_CLOSED",
    },
  ]);
  await runtime.stop();
  expect(reports).toHaveLength(1);
});
