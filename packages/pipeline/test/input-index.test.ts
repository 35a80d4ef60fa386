/** Runs of pipelines that are found by what of their input is indexed. */
import { createRuntime, memoryStore } from "millrace/runtime";
import { expect, it } from "vitest";
import * as z from "zod";
import { Pipeline } from "../src/index.js";

const refund = new Pipeline({
  name: "refund",
  inputSchema: z.object({ order: z.string(), lines: z.array(z.object({ sku: z.string() })).default([]) }),
  index: { order: (input) => input.order, sku: ({ lines }) => lines.map(({ sku }) => sku) },
  steps: [() => "done"],
});

it("finds the runs of a pipeline by their input, as the schema returns it", async () => {
  const runtime = createRuntime({ workflows: { refund: refund.workflow } });
  const input = { order: "A-7", lines: [{ sku: "red" }, { sku: "blue" }] };
  await runtime.run("refund", { input }, { runId: "a" });
  await runtime.run("refund", { input: { order: "A-8" } }, { runId: "b" });
  const found = async (wanted: Record<string, string>) =>
    (await runtime.runs({ input: wanted })).runs.map(({ runId }) => runId);

  expect(await found({ order: "A-7" })).toEqual(["a"]);
  expect(await found({ sku: "blue" })).toEqual(["a"]);
  expect(await found({ order: "A-8" })).toEqual(["b"]);
  await runtime.stop();
});

it("finds runs that are started by the pipeline itself", async () => {
  const store = memoryStore();
  const own = new Pipeline({ name: "own", store, index: { topic: (input) => String(input) }, steps: [() => "done"] });
  const { runId } = await own.run("cats");

  const { runs } = await store.list({ tenant: "", limit: 10, index: { topic: "cats" } });
  expect(runs.map(({ key }) => key.runId)).toEqual([runId]);
});

it("refuses an index that is none", () => {
  const make = (index: unknown) => () => new Pipeline({ name: "p", steps: [() => "x"], index: index as never });
  expect(make(7)).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  const named = make({ order: 7 })();
  expect(() => createRuntime({ workflows: { p: named.workflow } })).toThrow(
    expect.objectContaining({ code: "WORKFLOW_INVALID" }),
  );
});
