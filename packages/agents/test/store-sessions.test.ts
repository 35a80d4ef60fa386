/** Sessions of agents in the store of the runs: in memory and in a SQLite file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore, type RunStore } from "millrace/runtime";
import { afterEach, describe, expect, it } from "vitest";
import { Agent, type AgentSessionRun, type AgentSessions, storeSessions } from "../src/index.js";
import { scripted, userTexts } from "./support/models.js";
import { allow, refund } from "./support/refunds.js";
import { addItem, listOf } from "./support/shopping.js";

const folders: string[] = [];
const stores: RunStore[] = [];
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "agents-"));
  folders.push(folder);
  return join(folder, "app.db");
}

function opened(store: RunStore): RunStore {
  stores.push(store);
  return store;
}

const kinds = [
  ["in memory", () => opened(memoryStore())],
  ["in a file", () => opened(sqliteStore(newFile()))],
] as const;

const metrics = { inputTokens: 1, outputTokens: 1, totalTokens: 2, duration: 0.5 };
const run = (runId: string, more: Partial<AgentSessionRun> = {}): AgentSessionRun => ({
  runId,
  executorName: "agent",
  status: "COMPLETED",
  input: runId,
  content: runId,
  messages: [{ role: "user", content: runId }],
  metrics,
  pause: null,
  createdAtMs: 1_000,
  ...more,
});

function save(sessions: AgentSessions, expectedVersion: number, more: object = {}) {
  const change = { sessionId: "s1", userId: "u1", state: { n: expectedVersion }, metrics, run: null, expectedVersion };
  return sessions.save({ ...change, ...more });
}

describe.each(kinds)("storeSessions %s", (_where, open) => {
  it("keeps sessions by version", async () => {
    const sessions = storeSessions(open());

    expect(await sessions.load("s1", null, { runs: 1 })).toBeNull();
    expect(await save(sessions, 0)).toEqual({ status: "saved", version: 1 });
    expect(await save(sessions, 0)).toEqual({ status: "conflict" });
    expect(await save(sessions, 1, { state: { a: ["b"] } })).toEqual({ status: "saved", version: 2 });

    expect(await sessions.load("s1", null, { runs: 1 })).toEqual({
      sessionId: "s1",
      userId: "u1",
      state: { a: ["b"] },
      metrics,
      runs: [],
      version: 2,
    });
  });

  it("gives the newest runs, the oldest of them first, however many there are", async () => {
    const sessions = storeSessions(open());
    for (let at = 0; at < 30; at++) {
      const status = at % 10 === 0 ? "ERROR" : "COMPLETED";
      await save(sessions, at, { run: run(`r${at}`, { createdAtMs: 1_000 + at, status }) });
    }
    const ids = async (query: Parameters<AgentSessions["load"]>[2]) =>
      (await sessions.load("s1", null, query))?.runs.map(({ runId }) => runId);

    expect(await ids({ runs: 2 })).toEqual(["r28", "r29"]);
    expect(await ids({ runs: 3, status: "ERROR" })).toEqual(["r0", "r10", "r20"]);
    expect(await ids({ runs: 1, runId: "r3" })).toEqual(["r3"]);
    expect(await ids({ runs: 100 })).toHaveLength(30);
    expect(await ids({ runs: 0 })).toEqual([]);
  });

  it("writes the session and its run together, or neither", async () => {
    const store = open();
    const sessions = storeSessions(store);
    await save(sessions, 0, { run: run("first") });

    expect(await save(sessions, 0, { run: run("lost", { createdAtMs: 2_000 }) })).toEqual({ status: "conflict" });

    expect((await sessions.load("s1", null, { runs: 9 }))?.runs.map(({ runId }) => runId)).toEqual(["first"]);
    const { records } = await store.records({ tenant: "", kind: "agent-run", limit: 10 });
    expect(records).toHaveLength(1);
  });

  it("keeps the number of runs and the time of the newest in the record of the session", async () => {
    const store = open();
    const sessions = storeSessions(store);
    const facts = async () =>
      JSON.parse((await store.record({ tenant: "", kind: "agent-session", id: "s1" }))?.text ?? "").json.runs;

    await save(sessions, 0);
    expect(await facts()).toEqual({ count: 0, newestAtMs: null });
    await save(sessions, 1, { run: run("r1", { createdAtMs: 2_000, status: "PAUSED" }) });
    await save(sessions, 2, { run: run("r2", { createdAtMs: 1_000 }) });
    await save(sessions, 2, { run: run("lost") });
    await save(sessions, 3, { run: run("r1", { createdAtMs: 2_000 }) });
    await save(sessions, 4);

    expect(await facts()).toEqual({ count: 2, newestAtMs: 2_000 });
    expect((await sessions.load("s1", null, { runs: 9 }))?.runs).toHaveLength(2);
  });

  it("puts a run that goes on in the place where it was", async () => {
    const sessions = storeSessions(open());
    await save(sessions, 0, { run: run("r1", { status: "PAUSED" }) });
    await save(sessions, 1, { run: run("r2", { createdAtMs: 2_000 }) });
    await save(sessions, 2, { run: run("r1") });

    const session = await sessions.load("s1", null, { runs: 9 });
    expect(session?.runs.map(({ runId, status }) => [runId, status])).toEqual([
      ["r1", "COMPLETED"],
      ["r2", "COMPLETED"],
    ]);
  });

  it("keeps runs of one millisecond in the order in which they were first saved", async () => {
    const sessions = storeSessions(open());
    await save(sessions, 0, { run: run("c", { status: "PAUSED" }) });
    await save(sessions, 1, { run: run("b") });
    await save(sessions, 2, { run: run("c") });
    await save(sessions, 3, { run: run("a/b") });

    const session = await sessions.load("s1", null, { runs: 9 });
    expect(session?.runs.map(({ runId, status }) => [runId, status])).toEqual([
      ["c", "COMPLETED"],
      ["b", "COMPLETED"],
      ["a/b", "COMPLETED"],
    ]);
  });

  it("takes no run for another one of its millisecond, whatever their ids look like", async () => {
    const store = open();
    const sessions = storeSessions(store);
    await save(sessions, 0, { run: run("x") });
    const [{ id = "" } = {}] = (await store.records({ tenant: "", kind: "agent-run", limit: 10 })).records;
    const [, , rank] = id.split("/");
    const names = [`${rank}/x`, "x/x", `${rank}/${rank}/x`, "", "/x", `s1/${rank}/x`];
    for (const [index, name] of names.entries()) await save(sessions, index + 1, { run: run(name) });
    for (const [index, name] of names.entries())
      await save(sessions, index + 7, { run: run(name, { content: "again" }) });

    const session = await sessions.load("s1", null, { runs: 99 });
    expect(session?.runs.map(({ runId, content }) => [runId, content])).toEqual([
      ["x", "x"],
      ...names.map((name) => [name, "again"]),
    ]);
  });

  it("keeps sessions apart whose ids begin alike, and those of other tenants", async () => {
    const store = open();
    const sessions = storeSessions(store);
    await save(sessions, 0, { sessionId: "a", run: run("of a") });
    await save(sessions, 0, { sessionId: "a/b", run: run("of a/b") });
    await save(sessions, 0, { sessionId: "a%2Fb", run: run("of a%2Fb") });
    const runsOf = async (id: string) => (await sessions.load(id, null, { runs: 9 }))?.runs.map(({ runId }) => runId);

    expect(await runsOf("a")).toEqual(["of a"]);
    expect(await runsOf("a/b")).toEqual(["of a/b"]);
    expect(await runsOf("a%2Fb")).toEqual(["of a%2Fb"]);
    expect(await storeSessions(store, { tenant: "other" }).load("a", null, { runs: 1 })).toBeNull();
  });

  it("keeps a conversation, also over a pause", async () => {
    const sessions = storeSessions(open());
    const model = scripted(["1", [["refund", { order: 7 }]], "2", (options) => userTexts(options).join()]);
    const options = { model, sessions, sessionId: "s1", tools: [refund], addHistoryToContext: true };
    const agent = new Agent(options);

    await agent.run("a", { userId: "u1" });
    const { runId, sessionId } = await agent.run("b", { userId: "u1" });
    await new Agent(options).continueRun({ runId, sessionId }, allow("call-0"));
    const last = await new Agent(options).run("c", { userId: "u1" });

    expect(last.content).toBe("a,b,c");
    expect(await agent.getSessionState()).toMatchObject({ refunds: [7] });
    expect((await agent.getSessionMetrics()).totalTokens).toBe(60);
    await expect(agent.run("d")).rejects.toMatchObject({ code: "SESSION_FOREIGN" });
    await expect(agent.run("d", { userId: "u2" })).rejects.toMatchObject({ code: "SESSION_FOREIGN" });
  });

  it("is read by the records of a runtime", async () => {
    const store = open();
    await save(storeSessions(store), 0, { state: { a: 1 } });

    const nothing = defineWorkflow("nothing")
      .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent())
      .build();
    const runtime = createRuntime({ workflows: { nothing }, store, log: { info() {}, error() {} } });
    const record = await runtime.records.read("agent-session", "s1");

    expect(record).toMatchObject({ version: 1, value: { sessionId: "s1", state: { a: 1 } } });
  });

  it("does not take a damaged session for none", async () => {
    const store = open();
    await store.writeRecords([{ tenant: "", kind: "agent-session", id: "s1", expected: 0, text: '{"json": 7}' }]);

    await expect(storeSessions(store).load("s1", null, { runs: 0 })).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });
});

it("two connections to one file lose nothing of 50 runs at the same time", async () => {
  const file = newFile();
  const connections = [opened(sqliteStore(file)), opened(sqliteStore(file))].map((store) => storeSessions(store));
  const items = Array.from({ length: 50 }, (_, index) => `item ${index}`);
  const agents = items.map((item, index) => {
    const sessions = connections[index % 2] as AgentSessions;
    const model = scripted([[["add_item", { item }]], "Added."]);
    return new Agent({ model, sessions, sessionId: "s1", sessionState: { shopping_list: [] }, tools: [addItem] });
  });

  await Promise.all(agents.map((agent) => agent.run("Add it")));

  const session = await connections[0]?.load("s1", null, { runs: 100 });
  expect([...listOf(session?.state ?? {})].sort()).toEqual([...items].sort());
  expect(new Set(session?.runs.map(({ runId }) => runId)).size).toBe(50);
  expect(session).toMatchObject({ version: 50, metrics: { totalTokens: 50 * 30 } });
});
