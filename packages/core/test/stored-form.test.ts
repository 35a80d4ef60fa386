/** Plain data with a shorter form in stores. */
import { expect, it, onTestFinished } from "vitest";
import type { StoredForm } from "../src/entries/engine.js";
import { createRuntime, memoryStore } from "../src/entries/runtime.js";
import { defineWorkflow, StartEvent, StopEvent } from "../src/index.js";

const long = { name: "long", list: [1, 2, 3], isUsual: true };
const form: StoredForm = {
  name: "long",
  isStoredForm: true,
  is: (value) => value === long,
  encode: () => "short",
  decode: () => long,
};

const flow = defineWorkflow("flow", { types: [form] })
  .step("only", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: long }))
  .build();

it("is stored short, and is whole for who loads it and on the wire", async () => {
  const store = memoryStore();
  const open = () => {
    const runtime = createRuntime({ workflows: { flow }, store });
    onTestFinished(() => runtime.stop());
    return runtime;
  };
  const first = open();

  const live = await first.run("flow", {}, { runId: "run" });
  await first.stop();
  const second = open();
  const lines = await second.handle("run").streamEvents().toResponse({ format: "ndjson" }).text();

  expect((await store.run({ tenant: "", runId: "run" }))?.outcome).toBe(
    '{"status":"completed","event":{"type":"StopEvent","data":{"result":"short"},"meta":{"result":[["custom","long"]]}}}',
  );
  expect([live, await second.handle("run")]).toEqual([long, long]);
  expect(
    lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ type: "StopEvent", data: { result: long } }]);
  expect(lines).not.toContain("meta");
});
