/** Schedules over HTTP: set, read, paused and deleted by their tenant, and by nobody else. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createServer, type ServerOptions } from "../src/index.js";
import type { Json } from "./answer.types.js";

class Report extends StartEvent.define("Report", { of: z.string() }) {}
const report = defineWorkflow("report")
  .step("write", { on: Report, emits: StopEvent }, ({ of }) => new StopEvent({ result: of }))
  .build();
const log = { info: () => {}, error: () => {} };

function open(options: Partial<ServerOptions> = {}) {
  const store = memoryStore();
  const runtime = createRuntime({ workflows: { report }, store, log, queues: { llm: { concurrency: 1 } } });
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  const app = createServer({
    runtime,
    log,
    schedules: true,
    auth: (request) => ({ tenant: request.headers.get("x-tenant") ?? "red", client: "one" }),
    ...options,
  });
  const ask = async (route: string, body?: object, tenant = "red") => {
    const [method = "", path = ""] = route.split(" ");
    const headers = { "content-type": "application/json", "x-tenant": tenant };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await app.request(path, init);
    return { status: response.status, body: (await response.json()) as Json };
  };
  return { runtime, app, ask };
}

const nightly = { cron: "0 3 * * *", workflow_name: "report", start_event: { of: "the day" } };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT03:00:00\.000Z$/);

describe("a schedule over HTTP", () => {
  it("is set, read, listed, paused, resumed and deleted", async () => {
    const { ask } = open();
    const whole = { ...nightly, overlap: "queue", catch_up: "all", labels: { team: "ops" }, timezone: "UTC" };

    const set = await ask("PUT /schedules/nightly", whole);

    expect(set).toEqual({
      status: 200,
      body: {
        name: "nightly",
        workflow_name: "report",
        start: { type: "Report", value: { of: "the day" } },
        edited: null,
        cron: "0 3 * * *",
        timezone: "UTC",
        overlap: "queue",
        catch_up: "all",
        queue: null,
        paused: false,
        next_at: time,
        last: null,
        queued_at: [],
        skips: [],
      },
    });
    expect(await ask("GET /schedules/nightly")).toEqual(set);
    expect(await ask("GET /schedules")).toEqual({ status: 200, body: { schedules: [set.body], cursor: null } });
    expect((await ask("GET /schedules/nightly/next?count=3")).body.next).toEqual([time, time, time]);
    expect((await ask("POST /schedules/nightly/pause")).body).toMatchObject({ paused: true, next_at: null });
    expect((await ask("POST /schedules/nightly/resume")).body).toMatchObject({ paused: false, next_at: time });
    expect((await ask("DELETE /schedules/nightly")).body).toEqual({ status: "deleted" });
    expect(await ask("GET /schedules/nightly")).toMatchObject({ status: 404, body: { code: "SCHEDULE_UNKNOWN" } });
  });

  it("is set by callers where the operator opens it, and nowhere else", async () => {
    const { ask } = open({ schedules: false });

    for (const route of ["PUT /schedules/a", "DELETE /schedules/a"])
      expect(await ask(route, nightly)).toMatchObject({ status: 405, body: { code: "METHOD_NOT_ALLOWED" } });
    const { paths } = (await ask("GET /openapi.json")).body;
    expect(Object.keys(paths["/schedules/{name}"])).toEqual(["get"]);
  });

  it("of another tenant is unknown: it is not read, paused, replaced or deleted", async () => {
    const { ask, runtime } = open();
    const { body: theirs } = await ask("PUT /schedules/nightly", nightly);

    const routes = ["GET /schedules/nightly", "GET /schedules/nightly/next", "DELETE /schedules/nightly"];
    routes.push("POST /schedules/nightly/pause", "POST /schedules/nightly/resume");
    for (const tenant of ["blue", ""])
      for (const route of routes) {
        const answer = await ask(route, undefined, tenant);
        expect(answer).toMatchObject({ status: 404, body: { code: "SCHEDULE_UNKNOWN" } });
        expect(JSON.stringify(answer.body)).not.toContain("tenant");
      }
    expect((await ask("GET /schedules", undefined, "blue")).body.schedules).toEqual([]);
    await ask("PUT /schedules/nightly", { ...nightly, cron: "0 4 * * *" }, "blue");
    expect((await ask("GET /schedules/nightly")).body).toEqual(theirs);
    expect((await runtime.schedules.list({ tenant: "blue" })).schedules).toHaveLength(1);
  });

  it("waits in the queue that the operator gives", async () => {
    const asked = { ...nightly, queue: "llm", queue_key: "mine" };

    expect(await open().ask("PUT /schedules/a", asked)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    const { ask } = open({ queueOf: ({ tenant, queue }) => ({ queue: queue ?? "llm", queueKey: tenant }) });
    expect((await ask("PUT /schedules/a", asked)).body.queue).toEqual({ name: "llm", key: "red", priority: 0 });
    expect(await ask("PUT /schedules/a", { ...asked, queue: "lmm" })).toMatchObject({ status: 400 });
  });

  it.each<[string, string, object, number, string]>([
    ["a pattern that is none", "a", { ...nightly, cron: "often" }, 400, "OPTION_INVALID"],
    ["every second", "a", { ...nightly, cron: "* * * * * *" }, 400, "BODY_INVALID"],
    ["a pattern of a megabyte", "a", { ...nightly, cron: "1,".repeat(500_000) }, 400, "BODY_INVALID"],
    ["a zone that is none", "a", { ...nightly, timezone: "Mars/Olympus" }, 400, "OPTION_INVALID"],
    ["a workflow that there is not", "a", { ...nightly, workflow_name: "repot" }, 404, "WORKFLOW_UNKNOWN"],
    ["a workflow of the platform", "a", { ...nightly, workflow_name: "__proto__" }, 404, "WORKFLOW_UNKNOWN"],
    ["an input that does not fit", "a", { ...nightly, start_event: { of: 5 } }, 400, "EVENT_INVALID"],
    ["a field that nobody reads", "a", { ...nightly, input: {} }, 400, "BODY_INVALID"],
    ["a label of the server", "a", { ...nightly, labels: { "millrace.start": "x" } }, 400, "BODY_INVALID"],
    ["a name that no id can have", "a%00b", nightly, 400, "QUERY_INVALID"],
    ["a name whose runs would have no id", "n".repeat(151), nightly, 400, "QUERY_INVALID"],
  ])("is refused: %s", async (_what, name, body, status, code) => {
    const { ask } = open();

    const answer = await ask(`PUT /schedules/${name}`, body);

    expect(answer).toMatchObject({ status, body: { code } });
    expect(JSON.stringify(answer.body).length).toBeLessThan(5_000);
    expect((await ask("GET /schedules")).body.schedules).toEqual([]);
  });

  it("is one of so many of its tenant: the next one is refused, and one of those is still replaced", async () => {
    const { ask } = open({ limits: { schedulesPerTenant: 3 } });
    for (const name of ["a", "b", "c"]) await ask(`PUT /schedules/${name}`, nightly);

    expect(await ask("PUT /schedules/d", nightly)).toMatchObject({ status: 429, body: { code: "SCHEDULES_EXCEEDED" } });
    expect((await ask("PUT /schedules/a", { ...nightly, cron: "0 4 * * *" })).status).toBe(200);
    expect((await ask("PUT /schedules/d", nightly, "blue")).status).toBe(200);
    await ask("DELETE /schedules/a");
    expect((await ask("PUT /schedules/d", nightly)).status).toBe(200);
  });

  it("is found among ten thousand, in pages", async () => {
    const { ask, runtime } = open({ limits: { schedulesPerTenant: 20_000, startsPerMinutePerClient: 1 } });
    const { start_event: input, workflow_name: workflow, cron } = nightly;
    for (let from = 0; from < 10_000; from += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, index) =>
          runtime.schedules.set(`s${from + index}`, { tenant: "red", cron, workflow: workflow as "report", input }),
        ),
      );

    const { body: page } = await ask("GET /schedules?limit=1000");
    expect(page.schedules).toHaveLength(1_000);
    const { body: next } = await ask(`GET /schedules?limit=1000&cursor=${encodeURIComponent(page.cursor)}`);
    expect(next.schedules[0].name > page.schedules[999].name).toBe(true);
    expect((await ask("GET /schedules?prefix=s999&limit=1000")).body.schedules).toHaveLength(11);
    expect((await ask("PUT /schedules/one", nightly)).status).toBe(200);
    expect(await ask("PUT /schedules/two", nightly)).toMatchObject({ status: 429, body: { code: "STARTS_EXCEEDED" } });
  });

  it("is asked for in a way that makes sense, or not at all", async () => {
    const { ask } = open();
    await ask("PUT /schedules/a", nightly);

    expect((await ask("GET /schedules/a/next?count=0")).status).toBe(400);
    expect((await ask("GET /schedules/a/next?count=100000")).status).toBe(400);
    expect(await ask("PATCH /schedules/a", {})).toMatchObject({ status: 405 });
  });

  it("is set and deleted by pages of an origin that may, and of no other", async () => {
    const { app } = open({ cors: { origins: ["https://app.example"] } });
    const asked = (method: string, origin: string, more: Record<string, string> = {}) =>
      app.request("/schedules/a", { method, headers: { origin, "content-type": "application/json", ...more } });

    const preflight = await asked("OPTIONS", "https://app.example", { "access-control-request-method": "PUT" });
    expect(preflight.headers.get("access-control-allow-methods")).toBe("GET,POST,PUT,DELETE");
    for (const method of ["PUT", "DELETE"]) {
      expect((await asked(method, "https://evil.example")).status).toBe(403);
      expect((await asked(method, "https://app.example")).status).not.toBe(403);
      expect((await asked(method, "https://app.example", { cookie: "a=b" })).status).toBe(403);
    }
  });

  it("starts runs that its tenant finds by their handler ids", async () => {
    const { ask, runtime } = open();
    const name = "n".repeat(150);
    await ask(`PUT /schedules/${name}`, nightly);
    const id = `${name}@2030-01-01T03:00:00.000Z`;
    await runtime.run("report", { of: "it" }, { runId: id, tenant: "red" });

    expect((await ask(`GET /handlers/${encodeURIComponent(id)}`)).status).toBe(200);
  });
});
