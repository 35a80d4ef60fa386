/** The result of a run is stored short, and whoever reads it has it whole. */
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore, type RunStore, type Runtime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { Parallel, type Pipeline, type PipelineRunOutput, Step } from "../src/index.js";
import { temporaryDirectory } from "./support/files.js";
import { fails, pipeline, step } from "./support/pipelines.js";

interface Opened {
  readonly flow: Pipeline;
  readonly runtime: Runtime;
}

function open(store: RunStore): Opened {
  const nested = pipeline([step("inner")], { name: "nested" });
  const skipped = new Step({ name: "skipped", executor: fails, maxRetries: 1, onError: "skip" });
  const flow = pipeline([new Parallel("all", step("a"), nested, skipped), step("last")], {
    store,
    sessionState: { list: [1] },
    storeEvents: true,
  });
  const runtime = createRuntime({ workflows: { [flow.id]: flow.workflow }, store }) as Runtime;
  onTestFinished(() => runtime.stop());
  return { flow, runtime };
}

/** A run in a file, whose process is gone. */
async function ended(): Promise<{ readonly path: string; readonly live: PipelineRunOutput }> {
  const path = join(temporaryDirectory(), "runs.db");
  const { flow, runtime } = open(sqliteStore(path, { durability: "process" }));
  const input = flow.workflowInput("in", { sessionId: "s" });
  const live = (await runtime.run(flow.id, input as never, { runId: "run" })) as PipelineRunOutput;
  await runtime.stop();
  return { path, live };
}

it("another process reads the result as the caller of the run got it", async () => {
  const { path, live } = await ended();

  const { flow, runtime } = open(sqliteStore(path, { durability: "process" }));

  expect(live).toMatchObject({ status: "COMPLETED", stepResults: [{ stepType: "Parallel" }, { images: [] }] });
  expect(Object.keys(live.metrics.steps)).toEqual(["a", "nested", "skipped", "last"]);
  expect(await runtime.handle("run")).toStrictEqual(live);
  expect(await flow.getRun("run")).toStrictEqual(live);
});

it("a run that moves to another store brings its result, and a fork comes to one", async () => {
  const { path, live } = await ended();
  const from = open(sqliteStore(path, { durability: "process" })).runtime;
  const to = open(memoryStore()).runtime;

  await to.import(from.export("run"));
  const fork = (await to.fork("run", { at: 2, runId: "fork" })) as PipelineRunOutput;

  expect(await to.handle("run")).toStrictEqual(live);
  expect(fork).toMatchObject({ runId: "fork", status: "COMPLETED", content: live.content });
});

it("that was stored whole is read", async () => {
  const { path, live } = await ended();
  const store = sqliteStore(path, { durability: "process" });
  const whole = JSON.stringify({ status: "completed", event: { type: "StopEvent", data: { result: live } } });
  const key = { tenant: "", runId: "run" };
  const run = store.run.bind(store);
  store.run = async (asked) => ({ ...(await run(asked)), outcome: whole }) as never;

  const { flow, runtime } = open(store);

  expect((await store.run(key))?.outcome).toBe(whole);
  expect(await runtime.handle("run")).toStrictEqual(live);
  expect(await flow.getRun("run")).toStrictEqual(live);
});

it("a core workflow gets the result of a pipeline whole, also where it goes on in another process", async () => {
  const store = memoryStore();
  const inner = pipeline([step("a")], { store });
  const outer = defineWorkflow("outer", { children: { inner: inner.workflow } })
    .step("call", { on: StartEvent, emits: StopEvent }, async (_event, ctx) => {
      const result = await ctx.runChild("inner", inner.workflowInput("in") as never);
      return new StopEvent({ result });
    })
    .build();
  const runtimeOf = (): Runtime => {
    const runtime = createRuntime({ workflows: { outer }, store }) as Runtime;
    onTestFinished(() => runtime.stop());
    return runtime;
  };

  const live = await runtimeOf().run("outer", {} as never, { runId: "run" });

  expect(live).toMatchObject({ content: "in a", stepResults: [{ stepName: "a", images: [], skipped: false }] });
  expect(await runtimeOf().handle("run")).toStrictEqual(live);
  expect(await runtimeOf().handle("run").snapshot()).toBeDefined();
});
