/** Lists of runs that are searched, counted and kept up to date, and what a server says of itself; against a real one. */
import { Pipeline, type StepFunction } from "@millrace/pipeline";
import { createServer, type ServerOptions } from "@millrace/server";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Client, createClient, type Flows, type RunListChange, type RunSelection } from "../src/index.js";
import { workflows as flows } from "./child/workflows.js";

const log = { info: () => {}, error: () => {} };
const count: StepFunction = ({ input = null }, { sessionState }) => {
  sessionState["count"] = Number(sessionState["count"] ?? 0) + 1;
  return { told: input };
};

const order = defineWorkflow("order", { index: { order: (start: StartEvent) => start.get("order") as number } })
  .step("begin", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: "done" }))
  .build();

function open(options: Partial<ServerOptions> = {}): Client<Flows> {
  const store = memoryStore();
  const chat = new Pipeline({ name: "Chat", description: "Counts what it is told.", steps: [count], store });
  const workflows = { ...flows, chat: chat.workflow, order };
  const runtime = createRuntime({ workflows, store, log, version: "1.5.0" }) as unknown as Runtime;
  onTestFinished(async () => {
    await runtime.stop({ drainMs: 0 });
    await chat.close();
  });
  const app = createServer({ runtime, log, ...options });
  const fetch = async (...request: ConstructorParameters<typeof Request>) => app.fetch(new Request(...request));
  return createClient({ baseUrl: "http://test", fetch, retry: { delayMs: 1, maxDelayMs: 5 } });
}

const endedAs = (client: Client<Flows>, name: string, labels = {}): Promise<string> => {
  const run = client.run(name, name === "joke" ? { topic: "cats" } : {}, { labels });
  return run.idle().then(() => run.handlerId);
};

describe("lists of runs", () => {
  it("are searched, and read from either end", async () => {
    const client = open();
    const first = await endedAs(client, "mend", { customer: "Ada Lovelace" });
    const second = await endedAs(client, "broken");
    const find = async (options: object): Promise<string[]> => {
      const found: string[] = [];
      for await (const { handlerId } of client.eachRun(options)) found.push(handlerId);
      return found;
    };

    expect(await find({ search: "lovel" })).toEqual([first]);
    expect(await find({ search: "for good" })).toEqual([second]);
    expect(await find({ search: first.slice(0, 8) })).toEqual([first]);
    expect(await find({ search: "nothing of the kind" })).toEqual([]);
    expect(await find({ order: "oldest" })).toEqual([first, second]);
    expect(await find({ order: "newest" })).toEqual([second, first]);
    expect((await client.runs({ order: "oldest", limit: 1 })).runs[0]?.handlerId).toBe(first);
  });

  it("are narrowed down to a value of the input and a version", async () => {
    const client = open();
    for (const [handlerId, number] of [
      ["a", 7],
      ["b", 8],
    ] as const)
      await client.run("order", { order: number }, { handlerId });
    const find = async (options: RunSelection) => (await client.runs(options)).runs.map(({ handlerId }) => handlerId);

    expect(await find({ input: { order: 7 } })).toEqual(["a"]);
    expect(await find({ input: { order: "8" }, version: "1.5.0" })).toEqual(["b"]);
    expect(await find({ input: { order: 7 }, version: "1.4.0" })).toEqual([]);
    expect(await client.handle("a").summary()).toMatchObject({ version: "1.5.0" });
    await expect(client.runs({ input: "order=7" as never })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("are counted, by status and workflow", async () => {
    const client = open();
    await endedAs(client, "mend", { batch: "1" });
    await endedAs(client, "greet", { batch: "1" });
    await endedAs(client, "broken");
    const status = { running: 0, waiting: 0, queued: 0, completed: 0, failed: 0, cancelled: 0 };

    expect(await client.counts()).toEqual({
      total: 3,
      status: { ...status, completed: 1, waiting: 1, failed: 1 },
      workflows: [
        { workflow: "broken", total: 1, status: { ...status, failed: 1 } },
        { workflow: "greet", total: 1, status: { ...status, waiting: 1 } },
        { workflow: "mend", total: 1, status: { ...status, completed: 1 } },
      ],
    });
    expect(await client.counts({ labels: { batch: "1" } })).toMatchObject({ total: 2 });
    expect(await client.counts({ workflow: ["mend", "joke"] })).toMatchObject({ total: 1 });
    expect(await client.counts({ workflow: [] })).toEqual({ total: 0, status, workflows: [] });
  });

  it("are kept up to date, until the reader leaves", async () => {
    const client = open();
    const changes = client.watchRuns({ workflow: "greet", labels: { mine: "yes" } })[Symbol.asyncIterator]();
    const next = async (): Promise<RunListChange> => (await changes.next()).value;

    expect(await next()).toEqual({ type: "open" });
    await endedAs(client, "greet");
    const mine = await endedAs(client, "greet", { mine: "yes" });
    let change = await next();
    while (change.type === "changed" && change.run.status === "running") change = await next();
    expect(change).toMatchObject({ type: "changed", run: { handlerId: mine, status: "waiting" } });
    await client.delete(mine);
    while (change.type === "changed") change = await next();
    expect(change).toEqual({ type: "gone", handlerId: mine });

    const pending = changes.next();
    await changes.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  it("tell nothing where no run can be in them", async () => {
    const client = open();
    const changes = client.watchRuns({ status: [] })[Symbol.asyncIterator]();
    expect((await changes.next()).value).toEqual({ type: "open" });
    await endedAs(client, "mend");

    const pending = changes.next().then(({ done }) => done);
    await endedAs(client, "mend");
    await changes.return?.();

    expect(await pending).toBe(true);
  });

  it("end with their signal, for its reason", async () => {
    const stopping = new AbortController();
    const changes = open().watchRuns({ signal: stopping.signal })[Symbol.asyncIterator]();
    await changes.next();
    const pending = changes.next();
    stopping.abort(new TypeError("enough"));

    await expect(pending).rejects.toThrow("enough");
  });
});

describe("a server", () => {
  it("says of each workflow what it is, how its runs stand and which was the last", async () => {
    const client = open();
    const last = await endedAs(client, "mend");

    const details = await client.workflowDetails();

    expect(details.map(({ name }) => name).sort()).toEqual([...(await client.workflows())].sort());
    expect(details.find(({ name }) => name === "mend")).toEqual({
      name: "mend",
      kind: "workflow",
      description: null,
      counts: { total: 1, status: { running: 0, waiting: 0, queued: 0, completed: 1, failed: 0, cancelled: 0 } },
      lastRun: { handlerId: last, status: "completed", startedAtMs: expect.any(Number) },
    });
    expect(details.find(({ name }) => name === "chat")).toMatchObject({
      kind: "pipeline",
      description: "Counts what it is told.",
      lastRun: null,
    });
  });

  it("says of each event what it is for, and groups the steps of pipelines", async () => {
    const client = open();

    expect(await client.eventUses("mailbox")).toMatchObject({
      StartEvent: { role: "start", isSendable: false },
      Letter: { role: "external", isSendable: true },
    });
    expect((await client.representation("chat")).graph.groups).toEqual(expect.any(Array));
  });

  it("has the code of steps, where it is given", async () => {
    const sources = {
      read: async (_: unknown, step: string) => (step === "tell" ? { file: "joke.ts", line: 3, text: "tell()" } : null),
    };
    const client = open({ sources });

    expect(await client.stepSource("joke", "tell")).toEqual({ file: "joke.ts", line: 3, text: "tell()" });
    await expect(client.stepSource("joke", "sing")).rejects.toMatchObject({ code: "SOURCE_UNKNOWN", status: 404 });
  });

  it("has sessions, with their state and runs", async () => {
    const client = open();
    for (const session_id of ["ada", "bob"]) await client.run("chat", { input: "hi", session_id, user_id: "u" });

    const first = await client.sessions({ limit: 1 });
    const ada = await client.session("ada");

    const session = { sessionId: "ada", userId: "u", name: null, runs: 1, updatedAtMs: expect.any(Number) };
    expect(first).toEqual({ sessions: [session], cursor: expect.any(String) });
    expect((await client.sessions({ cursor: first.cursor ?? "" })).sessions).toMatchObject([{ sessionId: "bob" }]);
    expect((await client.sessions({ prefix: "b" })).sessions).toMatchObject([{ sessionId: "bob" }]);
    expect(ada).toMatchObject({ sessionId: "ada", userId: "u", state: { count: 1 } });
    expect(ada.runs).toEqual([
      {
        handlerId: expect.any(String),
        workflow: "chat",
        input: "hi",
        output: { told: "hi" },
        atMs: session.updatedAtMs,
        status: "COMPLETED",
      },
    ]);
    await expect(client.session("eve")).rejects.toMatchObject({ code: "SESSION_UNKNOWN", status: 404 });
  });

  it.each([
    [true, { isReadOnly: true }],
    [false, { isReadOnly: false }],
  ])("says what the caller may do: readOnly %s", async (readOnly, facts) => {
    const config = await open({ readOnly }).config();

    const may = Object.fromEntries(
      ["start", "send", "answer", "cancel", "resume", "retry", "fork", "delete", "operate"].map((deed) => [
        deed,
        !readOnly,
      ]),
    );
    expect(config).toEqual({
      ...facts,
      version: expect.any(String),
      may: { ...may, override: false }, // only with `callOverrides`
      tenant: null,
      client: null,
      hasTenants: false,
      hasMetrics: false,
      sources: false,
      tests: false,
      audit: true,
      queues: true,
      budgets: false,
      schedules: true,
    });
  });
});
