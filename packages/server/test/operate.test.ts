/** Queues, workers and schedules over HTTP: who sees them, who changes them, and what the audit says of it. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createServer, type Identity, type ServerOptions } from "../src/index.js";
import type { Json } from "./answer.types.js";

class Report extends StartEvent.define("Report", { of: z.string() }) {}
const log = { info: () => {}, error: () => {} };
const kim: Identity = { client: "kim" };

async function open(identity: Identity = kim, options: Partial<ServerOptions> = {}, version?: string) {
  const ends: (() => void)[] = [];
  const work = defineWorkflow("work")
    .step("work", { on: StartEvent, emits: StopEvent }, async () => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return new StopEvent({ result: "done" });
    })
    .build();
  const report = defineWorkflow("report")
    .step("write", { on: Report, emits: StopEvent }, ({ of }) => new StopEvent({ result: of }))
    .build();
  const queues = { llm: { concurrency: 1, rate: { limit: 50, per: "1m" } } } as const;
  const runtime = createRuntime({
    workflows: { work, report },
    store: memoryStore(),
    log,
    queues,
    ...(version && { version }),
  });
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  await runtime.start();
  await runtime.schedules.set("nightly", { cron: "0 3 * * *", workflow: "report", input: { of: "the day" } });
  let who = identity;
  const app = createServer({ runtime, log, auth: () => who, ...options });
  const ask = async (route: string, body?: object, key?: string) => {
    const [method = "", path = ""] = route.split(" ");
    const headers = { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) };
    const response = await app.request(path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const start = async (id: string, queueKey = "") => {
    await runtime.run("work", {}, { runId: id, queue: "llm", queueKey }).accepted;
  };
  const as = (next: Identity): void => {
    who = next;
  };
  return { runtime, ask, start, as, ends };
}

const time = expect.stringMatching(/^\d{4}-.*Z$/);
const limits = { concurrency: 1, per_key: null, rate: { limit: 50, per_ms: 60_000 } };

describe("a queue over HTTP", () => {
  it("is read, paused, limited, reset and resumed, and the audit says by whom", async () => {
    const { ask, start } = await open();
    for (const id of ["a", "b", "c"]) await start(id, "team");
    await expect.poll(async () => (await ask("GET /queues/llm")).body).toMatchObject({ placed: 1, waiting: 2 });

    const { body } = await ask("GET /queues");
    expect(body).toEqual({
      queues: [
        {
          name: "llm",
          paused: false,
          limits,
          configured: limits,
          changed_at: null,
          changed_by: null,
          workers: 1,
          taken: expect.any(Number),
          waiting: 2,
          placed: 1,
          oldest_at: time,
          keys: [{ key: "team", waiting: 2, placed: 1, oldest_at: time }],
        },
      ],
    });
    expect(await ask("POST /queues/llm/pause")).toMatchObject({
      status: 200,
      body: { paused: true, changed_at: time, changed_by: { user: "kim", door: "http" } },
    });
    expect((await ask("POST /queues/llm/limit", { concurrency: 3, per_key: 2, rate: null })).body).toMatchObject({
      paused: true,
      limits: { concurrency: 3, per_key: 2, rate: null },
      configured: limits,
    });
    expect((await ask("POST /queues/llm/reset")).body).toMatchObject({ paused: true, limits });
    expect((await ask("POST /queues/llm/resume")).body).toMatchObject({ paused: false, changed_at: null });
    const { entries } = (await ask("GET /audit?action=queue.limit")).body;
    expect(entries).toEqual([
      {
        at: time,
        action: "queue.limit",
        handler_id: "",
        workflow_name: "",
        queue: "llm",
        by: { user: "kim", door: "http" },
      },
    ]);
  });

  it("says where a run stands, and that it is queued", async () => {
    const { ask, start } = await open();
    for (const id of ["a", "b", "c"]) await start(id);
    await expect
      .poll(async () => (await ask("GET /handlers/a")).body)
      .toMatchObject({ queued: false, status: "running" });

    expect((await ask("GET /handlers/c")).body).toMatchObject({ queued: true, status: "running", waiting: false });
    expect((await ask("GET /handlers/c/position")).body).toEqual({
      position: { queue: "llm", position: 2, waiting: 2, paused: false, estimate_ms: null },
    });
    expect((await ask("GET /handlers/a/position")).body).toEqual({ position: null });
    expect(await ask("GET /handlers/none/position")).toMatchObject({ status: 404, body: { code: "RUN_UNKNOWN" } });
    const ids = async (query: string) =>
      (await ask(`GET /handlers?${query}`)).body.handlers.map((one: Json) => one.handler_id);
    expect(await ids("status=queued")).toEqual(["c", "b"]);
    expect(await ids("status=running&queued=false")).toEqual(["a"]);
    expect(await ids("status=running")).toEqual(["c", "b", "a"]);
    expect((await ask("GET /handlers/counts")).body.status).toMatchObject({ running: 1, queued: 2, waiting: 0 });
  });

  it("is refused with all problems where a limit is none, and unknown where nobody names it", async () => {
    const { ask } = await open();

    const wrong = await ask("POST /queues/llm/limit", { concurrency: 0, rate: { limit: 1 }, size: 4 });
    expect(wrong).toMatchObject({ status: 400, body: { code: "BODY_INVALID" } });
    expect(wrong.body.issues).toHaveLength(3);
    expect(await ask("POST /queues/llm/limit", {})).toMatchObject({ body: { code: "OPTION_INVALID" } });
    for (const route of ["GET /queues/x", "POST /queues/x/pause", "POST /queues/x/limit"])
      expect(await ask(route, route.endsWith("limit") ? { concurrency: 1 } : undefined)).toMatchObject({
        status: 404,
        body: { code: "QUEUE_UNKNOWN" },
      });
  });

  it("is shown to readers and changed by operators of all workflows alone, and by no tenant", async () => {
    const { ask, as } = await open({ client: "lee", may: ["read"] });
    const routes = ["POST /queues/llm/pause", "POST /queues/llm/resume", "POST /queues/llm/reset"];
    expect(await ask("GET /queues")).toMatchObject({ status: 200 });
    expect((await ask("GET /studio/config")).body).toMatchObject({
      queues: true,
      schedules: true,
      may: { operate: false },
    });
    for (const route of routes) expect(await ask(route)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });

    as({ client: "lee", may: { work: ["read", "operate"] } });
    for (const route of ["GET /queues", "GET /workers", ...routes]) expect((await ask(route)).status).toBe(403);
    as({ client: "lee", tenant: "red" });
    for (const route of ["GET /queues", "GET /queues/llm", "GET /workers", ...routes])
      expect(await ask(route)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    expect((await ask("GET /studio/config")).body).toMatchObject({ queues: false });
  });

  it("changes nothing on a server that only shows", async () => {
    const { ask } = await open(kim, { readOnly: true });

    expect(await ask("POST /queues/llm/pause")).toMatchObject({ status: 403, body: { code: "READ_ONLY" } });
    expect(await ask("GET /queues")).toMatchObject({ status: 200 });
  });
});

describe("workers over HTTP", () => {
  it("are listed with what they hold", async () => {
    const { ask } = await open();

    expect((await ask("GET /workers")).body).toEqual({
      workers: [
        {
          id: expect.any(String),
          host: expect.any(String),
          pid: process.pid,
          version: "",
          started_at: time,
          beat_at: time,
          alive: true,
          runs: 0,
          places: 0,
          max_runs: null,
          workflows: ["work", "report"],
          queues: { llm: limits },
        },
      ],
    });
  });

  it("say the version that their runtime was given", async () => {
    const { ask } = await open(kim, {}, "1.5.0");

    expect((await ask("GET /workers")).body).toMatchObject({ workers: [{ version: "1.5.0" }] });
  });
});

describe("a schedule over HTTP", () => {
  it("is edited, reset and started by an operator", async () => {
    const { ask, runtime } = await open();

    const edited = await ask("POST /schedules/nightly/edit", { cron: "0 5 * * *", start_event: { of: "the week" } });
    expect(edited).toMatchObject({
      status: 200,
      body: {
        cron: "0 5 * * *",
        start: { type: "Report", value: { of: "the week" } },
        edited: {
          cron: "0 3 * * *",
          start: { value: { of: "the day" } },
          at: time,
          by: { user: "kim", door: "http" },
        },
      },
    });
    const first = await ask("POST /schedules/nightly/start", undefined, "click-1");
    expect(await ask("POST /schedules/nightly/start", undefined, "click-1")).toEqual(first);
    expect(await runtime.handle(first.body.handler_id)).toBe("the week");
    expect((await ask("POST /schedules/nightly/reset")).body).toMatchObject({ cron: "0 3 * * *", edited: null });
    expect((await ask("GET /audit?action=schedule.start")).body.entries).toMatchObject([
      { schedule: "nightly", workflow_name: "report", handler_id: first.body.handler_id },
    ]);
  });

  it("is refused an input that does not fit, seconds, and a caller who may not start its workflow", async () => {
    const { ask, as } = await open();

    expect(await ask("POST /schedules/nightly/edit", { start_event: { of: 3 } })).toMatchObject({
      body: { code: "EVENT_INVALID" },
    });
    expect(await ask("POST /schedules/nightly/edit", { cron: "* * * * * *" })).toMatchObject({ status: 400 });
    expect(await ask("POST /schedules/none/start")).toMatchObject({ status: 404, body: { code: "SCHEDULE_UNKNOWN" } });
    as({ client: "lee", may: ["read", "operate"] });
    for (const route of ["POST /schedules/nightly/start", "POST /schedules/nightly/edit"])
      expect(await ask(route, { cron: "0 5 * * *" })).toMatchObject({ status: 403 });
    expect(await ask("POST /schedules/nightly/pause")).toMatchObject({ status: 200 });
    as({ client: "lee", may: ["read"] });
    expect(await ask("POST /schedules/nightly/pause")).toMatchObject({ status: 403 });
  });
});
