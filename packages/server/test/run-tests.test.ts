/** Tests that are made of runs, on a server that was told how. */
import { defineWorkflow, StartEvent, StopEvent, WorkflowError } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createServer, type Identity, type RunTests, type ServerOptions, type TestedRun } from "../src/index.js";
import type { Json } from "./answer.types.js";

const log = { info: () => {}, error: () => {} };
const files = { recording: { path: "test/r1.run.json", text: "{}" }, test: { path: "test/r1.test.ts", text: "it()" } };

async function open(make: RunTests["make"], options: Partial<ServerOptions> = {}) {
  const add = defineWorkflow("add")
    .step("add", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
    .build();
  const runtime = createRuntime({ workflows: { add }, store: memoryStore(), log });
  onTestFinished(() => runtime.stop());
  await runtime.run("add", {}, { runId: "r1", tenant: "red" });
  const asked: TestedRun[] = [];
  const tests: RunTests = {
    make: async (run) => {
      asked.push(run);
      return make(run);
    },
  };
  let who: Identity = { client: "kim", tenant: "red" };
  const app = createServer({ runtime, log, auth: () => who, tests, ...options });
  const ask = async (path: string, identity: Identity = who) => {
    who = identity;
    const response = await app.request(path);
    return { status: response.status, body: (await response.json()) as Json };
  };
  return { runtime, ask, asked };
}

describe("GET /handlers/{id}/test", () => {
  it("has the files that are made of the run of the caller", async () => {
    const { runtime, ask, asked } = await open(async () => ({ ...files, more: 1 }));

    expect(await ask("/handlers/r1/test?redact=email&redact=name")).toEqual({ status: 200, body: files });
    expect(await ask("/handlers/r1/test")).toMatchObject({ status: 200 });
    const run = { runtime, runId: "r1", tenant: "red" };
    expect(asked).toEqual([
      { ...run, redact: ["email", "name"] },
      { ...run, redact: [] },
    ]);
    expect((await ask("/studio/config")).body.tests).toBe(true);
  });

  it("says of which runs there is none", async () => {
    const unfit = new WorkflowError({
      code: "OPTION_INVALID",
      message: "It has not ended.",
      hint: "Wait for its end.",
    });
    const { ask } = await open(async ({ runId }) => {
      if (runId === "open") throw unfit;
      return null;
    });

    expect(await ask("/handlers/r1/test")).toMatchObject({ status: 404, body: { code: "SOURCE_UNKNOWN" } });
    expect(await ask("/handlers/open/test")).toMatchObject({
      status: 400,
      body: { code: "OPTION_INVALID", detail: "It has not ended.", hint: "Wait for its end." },
    });
    expect(await ask("/handlers/r1/test?redact=")).toMatchObject({ status: 400, body: { code: "QUERY_INVALID" } });
  });

  it("is for callers who may read the run alone", async () => {
    const { ask, asked } = await open(async () => files);

    expect(await ask("/handlers/r1/test", { tenant: "red", may: ["start"] })).toMatchObject({ status: 403 });
    expect(await ask("/handlers/r1/test", { tenant: "red", may: { other: ["read"] } })).toMatchObject({ status: 404 });
    expect(asked).toEqual([]);
  });

  it("is not there without the option", async () => {
    const { ask } = await open(async () => files, { tests: undefined as never });

    expect((await ask("/handlers/r1/test")).status).toBe(404);
    expect((await ask("/studio/config")).body.tests).toBe(false);
    expect(() => createServer({ runtime: () => null as never, tests: {} as never })).toThrow("`tests` has no `make()`");
  });
});
