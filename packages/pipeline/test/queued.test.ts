/** A pipeline in a queue of its runtime. */
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime, type Runtime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { Pipeline } from "../src/index.js";
import { temporaryDirectory } from "./support/files.js";
import { step } from "./support/pipelines.js";

it("can be read while it waits for a place", async () => {
  const store = () => sqliteStore(join(folder, "runs.db"), { durability: "process" });
  const folder = temporaryDirectory();
  const flow = new Pipeline({ name: "Tested", store: store(), steps: [step("a")] });
  const queues = { letters: { concurrency: 1 } };
  const runtime = createRuntime({ workflows: { tested: flow.workflow }, store: store(), queues }) as unknown as Runtime;
  onTestFinished(() => flow.close());
  onTestFinished(() => runtime.stop());
  await runtime.queues.pause("letters");
  await runtime.run("tested", flow.workflowInput("in") as never, { runId: "one", queue: "letters" }).accepted;

  expect((await flow.runs()).runs).toMatchObject([{ runId: "one", status: "queued" }]);
  expect(await flow.getRun("one")).toMatchObject({ status: "RUNNING" });
});
