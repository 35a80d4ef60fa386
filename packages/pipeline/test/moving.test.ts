/** A paused run that moves to another store brings its session. */
import { createRuntime, memoryStore, type RunStore, type Runtime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import type { Pipeline } from "../src/index.js";
import { pipeline, step } from "./support/pipelines.js";

interface Opened {
  readonly runtime: Runtime;
  readonly flow: Pipeline;
}

function open(store: RunStore): Opened {
  const steps = [
    step("first", { executor: (_input, { sessionState }) => (sessionState["said"] = "hello") }),
    step("second", { humanReview: { requiresConfirmation: true } }),
  ];
  const flow = pipeline(steps, { store });
  const runtime = createRuntime({ workflows: { [flow.id]: flow.workflow }, store, idleReleaseMs: 0 }) as Runtime;
  onTestFinished(() => runtime.stop());
  return { runtime, flow };
}

it("continues in the other store, with its session there", async () => {
  const [from, to] = [open(memoryStore()), open(memoryStore())];
  const input = from.flow.workflowInput("in", { sessionId: "s", userId: "ada" });
  await from.runtime.run(from.flow.id, input as never, { runId: "run" }).idle();
  const before = await from.flow.sessions.get("s");

  await to.runtime.import(from.runtime.export("run"));
  await from.runtime.delete("run");
  const paused = await to.flow.getRun("run");
  const after = await to.flow.sessions.get("s");

  expect(before).toMatchObject({ userId: "ada" });
  expect(after).toEqual(before);
  expect(paused).toMatchObject({ status: "PAUSED", sessionId: "s", requirements: [{ stepName: "second" }] });
});
