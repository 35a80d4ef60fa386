/** The code of steps, for callers of a server that was told where it is. */
import { defineWorkflow, StartEvent, StopEvent, type Workflow } from "millrace";
import { createRuntime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createServer, type ServerOptions, type StepSource } from "../src/index.js";

const odd = "a/b: ü?#%2F..";
const flow = defineWorkflow("flow")
  .step("work", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
  .build();
const oddFlow = defineWorkflow(odd)
  .step(odd, { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
  .build();
const source: StepSource = { file: "src/flow.ts", line: 7, text: '  run() {\n    throw new Error("/srv/app");\n  }' };

function open(options: Partial<ServerOptions> = {}) {
  const asked: [Workflow, string][] = [];
  const runtime = createRuntime({ workflows: { flow, [odd]: oddFlow } });
  onTestFinished(() => runtime.stop());
  const read = async (workflow: Workflow, step: string) => {
    asked.push([workflow, step]);
    return step === "work" ? null : source;
  };
  const app = createServer({ runtime, sources: { read }, publicDocs: true, ...options });
  const get = async (...names: string[]) => {
    const [name, step] = names.map(encodeURIComponent);
    const response = await app.request(`/workflows/${name}/steps/${step}/source`);
    return { status: response.status, body: (await response.json()) as object };
  };
  return { app, get, asked };
}

describe("GET /workflows/{name}/steps/{step}/source", () => {
  it("is what the source gives, whatever the step is called", async () => {
    const { get, asked } = open();

    expect(await get(odd, odd)).toEqual({ status: 200, body: source });
    expect(asked).toEqual([[oddFlow, odd]]);
  });

  it("is 404 where the code is not known", async () => {
    const body = { code: "SOURCE_UNKNOWN", detail: expect.stringContaining("work") };

    expect(await open().get("flow", "work")).toMatchObject({ status: 404, body });
  });

  it.each([
    ["flow", "nothing", "SOURCE_UNKNOWN"],
    ["flow", "__proto__", "SOURCE_UNKNOWN"],
    ["flow", "../../etc/passwd", "SOURCE_UNKNOWN"],
    ["flow", "\0", "SOURCE_UNKNOWN"],
    ["nothing", "work", "WORKFLOW_UNKNOWN"],
    ["constructor", "work", "WORKFLOW_UNKNOWN"],
  ])("is 404, and nobody is asked, for %j, %j", async (name, step, code) => {
    const { get, asked } = open();

    expect(await get(name, step)).toMatchObject({ status: 404, body: { code } });
    expect(asked).toEqual([]);
  });

  it("needs credentials, as everything", async () => {
    const { get, asked } = open({ auth: () => null });

    expect((await get(odd, odd)).status).toBe(401);
    expect(asked).toEqual([]);
  });

  it("is in the OpenAPI document", async () => {
    const { paths } = (await (await open().app.request("/openapi.json")).json()) as { readonly paths: object };

    expect(Object.keys(paths)).toContain("/workflows/{name}/steps/{step}/source");
  });
});

describe("the option", () => {
  const config = async ({ app }: ReturnType<typeof open>) => (await app.request("/studio/config")).json();

  it("is told to the studio", async () => {
    expect(await config(open())).toMatchObject({ sources: true });
  });

  it("is off by default", async () => {
    const runtime = createRuntime({ workflows: { flow } });
    onTestFinished(() => runtime.stop());
    const app = createServer({ runtime });
    const response = await app.request("/workflows/flow/steps/work/source");

    expect([response.status, await response.json()]).toMatchObject([404, { code: "NOT_FOUND" }]);
    expect(await (await app.request("/studio/config")).json()).toMatchObject({ sources: false });
  });

  it("is refused without `read`", () => {
    expect(() => open({ sources: {} as never })).toThrow("`sources` has no `read()`");
  });
});
