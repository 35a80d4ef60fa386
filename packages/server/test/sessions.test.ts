/** What there is to workflows, pipelines and their sessions. */
import { Loop, Parallel, Pipeline, Step, type StepFunction } from "@millrace/pipeline";
import { createRuntime, memoryStore, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { bearerAuth, createServer } from "../src/index.js";
import type { Json } from "./answer.types.js";
import { workflows as flows } from "./child/workflows.js";

const log = { info: () => {}, error: () => {} };
const count: StepFunction = ({ input = null }, { sessionState }) => {
  sessionState["count"] = Number(sessionState["count"] ?? 0) + 1;
  return { told: input, count: sessionState["count"] };
};
const step = (name: string): Step => new Step({ name, executor: count });

function open() {
  const store = memoryStore();
  const chat = new Pipeline({ name: "Chat", description: "Counts what it is told.", steps: [count], store });
  const deep = new Pipeline({
    name: "Deep",
    inputSchema: z.object({ topic: z.string() }),
    steps: [
      step("first"),
      new Parallel("both", step("left"), step("right")),
      new Loop({
        name: "again",
        steps: [step("turn"), new Parallel("inner", step("a"), step("b"))],
        maxIterations: 2,
      }),
      chat,
    ],
    store,
  });
  const workflows = { ...flows, chat: chat.workflow, deep: deep.workflow };
  const runtime = createRuntime({ workflows, store, log }) as unknown as Runtime;
  onTestFinished(async () => {
    await runtime.stop({ drainMs: 0 });
    await Promise.all([chat.close(), deep.close()]);
  });
  const auth = bearerAuth({
    tokens: [
      { token: "red", tenant: "red" },
      { token: "blue", tenant: "blue" },
    ],
  });
  const app = createServer({ runtime, log, auth });
  const headers = (token: string) => ({ authorization: `Bearer ${token}`, "content-type": "application/json" });
  const get = async (path: string, token = "red"): Promise<Json> => {
    const response = await app.request(path, { headers: headers(token) });
    return { status: response.status, body: await response.json() };
  };
  const run = async (name: string, body: object, token = "red"): Promise<Json> => {
    const init = { method: "POST", headers: headers(token), body: JSON.stringify(body) };
    return (await app.request(`/workflows/${name}/run`, init)).json();
  };
  return { get, run, runtime };
}

describe("GET /workflows", () => {
  it("says of each what it is, how its runs stand and which was the last", async () => {
    const { get, run } = open();
    await run("add", { kwargs: { left: 1 } });
    await run("add", { kwargs: { left: 2 }, handler_id: "newest" });
    await run("fail", {}, "blue");

    const { body } = await get("/workflows");
    const details = Object.fromEntries(body.details.map((one: Json) => [one.name, one]));

    expect(body.workflows).toEqual(Object.keys(details));
    expect(details["add"]).toMatchObject({
      kind: "workflow",
      description: null,
      counts: { total: 2, status: { completed: 2, failed: 0 } },
      last_run: { handler_id: "newest", status: "completed" },
    });
    expect(details["fail"]).toMatchObject({ counts: { total: 0 }, last_run: null });
    expect(details["chat"]).toMatchObject({ kind: "pipeline", description: "Counts what it is told." });
  });
});

describe("GET /workflows/{name}/events", () => {
  it("says what each event is for, and whether it may be sent", async () => {
    const { roles, events } = (await open().get("/workflows/refund/events")).body;

    expect(Object.keys(roles).sort()).toEqual(events.map(({ title }: Json) => title).sort());
    expect(roles).toMatchObject({
      StartEvent: { role: "start", sendable: false },
      ApproveRefund: { role: "input_required", sendable: false },
      RefundDecision: { role: "human_response", sendable: true },
      StopEvent: { role: "stop", sendable: false },
    });
    expect((await open().get("/workflows/mailbox/events")).body.roles.Letter).toEqual({
      role: "external",
      sendable: true,
    });
  });
});

describe("a pipeline", () => {
  it("shows its groups, each step in one of them or in none", async () => {
    const { graph } = (await open().get("/workflows/deep/representation")).body;
    const ids = new Set(graph.nodes.map(({ id }: Json) => id));

    expect(graph.groups.map(({ label, kind, parent }: Json) => [label, kind, parent])).toEqual([
      ["both", "parallel", null],
      ["again", "loop", null],
      ["inner", "parallel", graph.groups[1].id],
      ["Chat", "pipeline", null],
    ]);
    expect(graph.groups[0].nodes).toEqual(expect.arrayContaining(["step:left", "step:right", "step:both: gather"]));
    expect(graph.groups[1].nodes).toContain("step:turn");
    expect(graph.groups[2].nodes).toEqual(expect.arrayContaining(["step:a", "step:b"]));
    const inside = graph.groups.flatMap(({ nodes }: Json) => nodes);
    expect(inside.every((id: string) => ids.has(id))).toBe(true);
    expect(new Set(inside).size).toBe(inside.length);
    expect(inside).not.toContain("step:first");
  });

  it("shows what does the work of its steps, and the graphs of the pipelines in it", async () => {
    const { graph } = (await open().get("/workflows/deep/representation")).body;
    const stepOf = (name: string): Json => graph.nodes.find(({ id }: Json) => id === `step:${name}`);

    expect(stepOf("left")).toMatchObject({ label: "left", executor: { kind: "function" }, worksFor: null });
    expect(stepOf("both: gather")).toMatchObject({ label: "both: gather", executor: null, worksFor: "step:both" });
    expect(stepOf("Chat")).toMatchObject({ executor: { kind: "pipeline", name: "Chat" } });
    expect(graph.groups[3]).toMatchObject({ enteredBy: "step:Chat", workflow: "chat" });
    expect(graph.children).toMatchObject([{ name: "chat", groups: [] }]);
    expect(graph.children[0].nodes).toContainEqual(expect.objectContaining({ id: "step:count", label: "count" }));
    expect(graph.children[0]).not.toHaveProperty("routing");
  });

  it("says what its input is, and refuses another one with all that is wrong", async () => {
    const { get, run } = open();
    const { start } = (await get("/workflows/deep/schema")).body;

    expect(start).toMatchObject({
      properties: { input: { properties: { topic: { type: "string" } } } },
      required: ["input"],
    });
    expect(await run("deep", { start_event: { input: { topic: 7 }, session_id: 5, more: 1 } })).toMatchObject({
      code: "EVENT_INVALID",
      issues: expect.arrayContaining([
        expect.objectContaining({ path: "input.topic" }),
        expect.objectContaining({ path: "session_id" }),
        expect.objectContaining({ path: "more" }),
      ]),
    });
  });
});

describe("sessions", () => {
  const say = (input: string, session_id = "s-1", user_id = "ada") => ({ start_event: { input, session_id, user_id } });

  it("of pipelines are listed, and told with their state and runs", async () => {
    const { get, run } = open();
    await run("chat", { ...say("one"), handler_id: "r-1" });
    await run("chat", { ...say("two"), handler_id: "r-2" });

    expect((await get("/sessions")).body.sessions).toEqual([
      { session_id: "s-1", user_id: "ada", name: null, runs: 2, updated_at: expect.stringMatching(/Z$/) },
    ]);
    expect((await get("/sessions/s-1")).body).toEqual({
      session_id: "s-1",
      user_id: "ada",
      state: { count: 2 },
      runs: [
        {
          handler_id: "r-1",
          workflow_name: "chat",
          input: "one",
          output: { told: "one", count: 1 },
          at: expect.any(String),
          status: "COMPLETED",
        },
        {
          handler_id: "r-2",
          workflow_name: "chat",
          input: "two",
          output: { told: "two", count: 2 },
          at: expect.any(String),
          status: "COMPLETED",
        },
      ],
    });
  });

  it("keep a run in their list that was deleted", async () => {
    const { get, run, runtime } = open();
    await run("chat", { ...say("one"), handler_id: "r-1" });
    await runtime.delete("r-1", { tenant: "red" });

    expect((await get("/sessions/s-1")).body.runs).toMatchObject([{ handler_id: "r-1", input: null, output: null }]);
  });

  it("of agents are listed behind them, and told with what was said", async () => {
    const { get, run, runtime } = open();
    await run("chat", say("one"));
    const agentRun = (runId: string, createdAtMs: number, text: string) => ({
      tenant: "red",
      kind: "agent-run",
      id: `a%2F1/${String(8_640_000_000_000_000 - createdAtMs).padStart(16, "0")}/${runId}`,
      expected: 0,
      value: {
        runId,
        executorName: "Ann",
        status: "COMPLETED",
        input: text,
        content: text,
        messages: [{ role: "user", content: text }],
        createdAtMs,
      },
    });
    await runtime.records.write([
      {
        tenant: "red",
        kind: "agent-session",
        id: "a/1",
        expected: 0,
        value: {
          sessionId: "a/1",
          userId: null,
          state: { mood: "good" },
          metrics: null,
          runs: { count: 2, newestAtMs: 2_000 },
        },
      },
      agentRun("x", 1_000, "first"),
      agentRun("y", 2_000, "second"),
    ]);
    const kindsRead: string[] = [];
    const list = runtime.records.list.bind(runtime.records);
    vi.spyOn(runtime.records, "list").mockImplementation((query) => {
      kindsRead.push(query.kind);
      return list(query);
    });
    const first = (await get("/sessions?limit=1")).body;
    const second = (await get(`/sessions?limit=1&cursor=${encodeURIComponent(first.cursor)}`)).body;

    expect(kindsRead).not.toContain("agent-run");
    expect(first.sessions.map((one: Json) => one.session_id)).toEqual(["s-1"]);
    expect(second.sessions).toEqual([
      { session_id: "a/1", user_id: null, name: null, runs: 2, updated_at: new Date(2_000).toISOString() },
    ]);
    expect((await get("/sessions/a%2F1")).body).toMatchObject({
      state: { mood: "good" },
      runs: [{ handler_id: "x", workflow_name: "Ann" }, { handler_id: "y" }],
      messages: [{ content: "first" }, { content: "second" }],
    });
  });

  it("are found by the beginning of their ids, and by nobody of another tenant", async () => {
    const { get, run } = open();
    await run("chat", say("one", "mine-1"));
    await run("chat", say("one", "yours-1"));

    expect((await get("/sessions?q=mine")).body.sessions).toMatchObject([{ session_id: "mine-1" }]);
    expect((await get("/sessions", "blue")).body.sessions).toEqual([]);
    expect(await get("/sessions/mine-1", "blue")).toMatchObject({ status: 404, body: { code: "SESSION_UNKNOWN" } });
  });

  it.each(["/sessions?limit=0", "/sessions?limit=101", "/sessions?cursor=", "/sessions?q=a&q=b"])(
    "refuse %s",
    async (path) => {
      expect(await open().get(path)).toMatchObject({ status: 400, body: { code: "QUERY_INVALID" } });
    },
  );

  it.each(["/sessions/%00", "/sessions/..%2Fx", "/sessions/none", "/sessions?q=%00"])(
    "have nothing at %s",
    async (path) => {
      const { status } = await open().get(path);

      expect([200, 400, 404]).toContain(status);
    },
  );
});
