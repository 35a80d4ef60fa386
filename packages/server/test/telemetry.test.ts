/** The trace of a request goes on in the run that it starts; metrics are for those who see all tenants. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createServer, type MetricsSource, type ServerOptions } from "../src/index.js";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const metrics: MetricsSource = { contentType: "text/plain; version=0.0.4", text: async () => "up 1\n" };

function open(options: Partial<ServerOptions> = {}) {
  const facts: { readonly traceId: string; readonly parentSpanId: string | null; readonly trace: unknown }[] = [];
  const work = defineWorkflow("work")
    .step("work", { on: StartEvent, emits: StopEvent }, async () => new StopEvent({ result: 1 }))
    .build();
  work.on("run.completed", (payload) => void facts.push(payload));
  const runtime = createRuntime({ workflows: { work }, store: memoryStore() });
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  const app = createServer({ runtime, ...options });
  const start = (headers: Record<string, string>, path = "run") =>
    app.request(`/workflows/work/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: "{}",
    });
  return { app, start, facts };
}

describe("the trace context of a request", () => {
  it.each(["run", "run-nowait"])("goes on in the run that `%s` starts", async (path) => {
    const { start, facts } = open();
    const traceparent = `00-${traceId}-${spanId}-01`;
    expect((await start({ traceparent, tracestate: "vendor=a" }, path)).ok).toBe(true);

    await expect.poll(() => facts, { timeout: 30_000 }).toHaveLength(1);
    expect(facts).toMatchObject([{ traceId, parentSpanId: spanId, trace: { traceparent, tracestate: "vendor=a" } }]);
  });

  it.each(["", "00", "x".repeat(5_000), `00-${"0".repeat(32)}-${spanId}-01`, `ff-${traceId}-${spanId}-01`])(
    "is ignored where it is none: %j",
    async (traceparent) => {
      const { start, facts } = open();

      expect((await start({ traceparent })).status).toBe(200);
      expect(facts).toMatchObject([{ parentSpanId: null, trace: null }]);
    },
  );
});

describe("GET /metrics", () => {
  it("is the text of the source, and says so in the OpenAPI document", async () => {
    const { app } = open({ metrics });
    const response = await app.request("/metrics");

    expect([response.status, await response.text()]).toEqual([200, "up 1\n"]);
    expect(response.headers.get("content-type")).toBe(metrics.contentType);
    const document = (await (await app.request("/openapi.json")).json()) as { readonly paths: object };
    expect(Object.keys(document.paths)).toContain("/metrics");
  });

  it("is not there without the option", async () => {
    expect((await open().app.request("/metrics")).status).toBe(404);
  });

  it("asks who it is, and is for callers without a tenant", async () => {
    const auth = async (request: Request) => {
      const tenant = request.headers.get("authorization");
      return tenant === null ? null : { tenant: tenant === "operator" ? "" : tenant };
    };
    const { app } = open({ metrics, auth });
    const ask = async (headers: Record<string, string>) => (await app.request("/metrics", { headers })).status;

    expect([await ask({}), await ask({ authorization: "acme" }), await ask({ authorization: "operator" })]).toEqual([
      401, 403, 200,
    ]);
  });

  it("needs a source", () => {
    expect(() => open({ metrics: true as never })).toThrow(/`metrics` has no `contentType` and `text\(\)`/);
  });
});
