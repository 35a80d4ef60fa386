import { type JsonObject, LiveSessionState, startState } from "@millrace/executor";
import { defineWorkflow, StartEvent, StopEvent, type Workflow, WorkflowError } from "millrace";
import { createRuntime, memoryStore, type RunStore, type Runtime, recordsOf } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import { readSession, saveSession } from "./run-session.js";
import { withRun } from "./session-record.js";
import { SessionStore } from "./session-store.js";

interface Asked {
  readonly sessionId: string;
  readonly userId?: string;
  readonly given?: JsonObject;
  readonly overwrite?: boolean;
  readonly set?: JsonObject;
}

/** Opens the session in its first step, changes its state, and saves it with its last. */
function sessionFlow(template: JsonObject, work: (state: JsonObject, asked: Asked) => void | Promise<void>): Workflow {
  return defineWorkflow("session")
    .step("work", { on: StartEvent, emits: StopEvent }, async (ev, ctx) => {
      const asked = ev.get("asked") as Asked;
      const { sessionId, userId = null, given = null, overwrite = false } = asked;
      const session = { sessionId, userId, pipelineId: "p", pipelineName: "P", state: template };
      const records = recordsOf(ctx);
      const stored = await readSession(records, session);
      const start = startState({ template, given, overwrite, stored: stored?.state ?? null });
      const view = new LiveSessionState(start).view();
      await work(view.state, asked);
      const state = JSON.parse(JSON.stringify(view.state));
      const base = stored?.state ?? template;
      const change = (saved: Parameters<typeof withRun>[0]) =>
        withRun(saved, { runId: ctx.runId, pipelineId: "p", status: "COMPLETED", createdAtMs: 1 });
      await saveSession(records, { session, base, state, counted: {}, reducers: {}, change, nowMs: 2 });
      return new StopEvent({ result: state });
    })
    .build() as Workflow;
}

interface Opened {
  readonly runtime: Runtime;
  readonly sessions: SessionStore;
  run(asked: Asked): Promise<JsonObject>;
}

const nowMs = Date.UTC(2026, 10, 21, 8, 30);
const silent = { info() {}, error() {} };

function open(flow: Workflow, store: RunStore = memoryStore()): Opened {
  const runtime = createRuntime({ workflows: { flow }, store, log: silent }) as Runtime;
  return {
    runtime,
    sessions: new SessionStore(runtime.records, () => nowMs),
    run: (asked) => Promise.resolve(runtime.run("flow", { asked } as never)) as Promise<JsonObject>,
  };
}

const assigning = sessionFlow({ items: [] }, (state, { set }) => void Object.assign(state, set));

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (error: unknown) => (WorkflowError.is(error) ? error.code : String(error)),
  );
}

describe("a session", () => {
  it("begins with the template and continues with what is stored", async () => {
    const { run, sessions } = open(assigning);

    const first = await run({ sessionId: "s", set: { n: 1 } });
    const second = await run({ sessionId: "s", given: { given: true } });
    const third = await run({ sessionId: "s", given: { secret: 43 }, overwrite: true });

    expect([first, second, third]).toEqual([
      { items: [], n: 1 },
      { items: [], n: 1, given: true },
      { items: [], secret: 43 },
    ]);
    expect(await sessions.getSessionState("s")).toEqual({ items: [], secret: 43 });
    expect(await sessions.get("s")).toMatchObject({
      userId: null,
      pipelineId: "p",
      runs: [{ status: "COMPLETED" }, {}, {}],
      createdAtMs: 2,
    });
  });

  it("belongs to its first user, and is refused to every other", async () => {
    const { run, sessions } = open(assigning);
    await run({ sessionId: "s" });
    await run({ sessionId: "s", userId: "ann", set: { n: 1 } });

    expect(await codeOf(run({ sessionId: "s", userId: "bob", set: { n: 2 } }))).toBe("SESSION_FOREIGN");
    expect(await codeOf(sessions.get("s", "bob"))).toBe("SESSION_FOREIGN");
    expect(await codeOf(sessions.delete("s", "bob"))).toBe("SESSION_FOREIGN");
    expect(await codeOf(sessions.updateSessionState({ n: 2 }, "s", "bob"))).toBe("SESSION_FOREIGN");
    expect(await sessions.get("s", "ann")).toMatchObject({ userId: "ann", state: { n: 1 } });
  });

  it("keeps what 200 runs at once have changed, each its own field", async () => {
    const { run, sessions, runtime } = open(assigning);

    await Promise.all(Array.from({ length: 200 }, (_, n) => run({ sessionId: "s", set: { [`k${n}`]: n } })));

    const session = await sessions.get("s");
    expect(Object.keys(session?.state ?? {})).toHaveLength(201);
    expect(session?.runs).toHaveLength(200);
    await runtime.stop();
  });

  it("keeps what two processes change at once", async () => {
    const store = memoryStore();
    const [one, two] = [open(assigning, store), open(assigning, store)];

    await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? one : two).run({ sessionId: "s", set: { [`k${n}`]: n } })),
    );

    expect(Object.keys(await one.sessions.getSessionState("s"))).toHaveLength(21);
  });

  it("throws what the store throws, instead of beginning anew", async () => {
    const inner = memoryStore();
    const store = new Proxy(inner, {
      get(target, name) {
        if (name === "record") return () => Promise.reject(new Error("The disk is gone."));
        const member = target[name as keyof RunStore];
        return typeof member === "function" ? (member as () => unknown).bind(target) : member;
      },
    });
    const { run, sessions } = open(assigning, store);

    expect(await codeOf(run({ sessionId: "s" }))).toContain("The disk is gone.");
    expect(await codeOf(sessions.get("s"))).toContain("The disk is gone.");
    expect(await inner.record({ tenant: "", kind: "session", id: "s" })).toBeNull();
  });
});

describe("the session store", () => {
  it("updates fields of the state, while runs and others do the same", async () => {
    const { run, sessions } = open(assigning);
    await run({ sessionId: "s", set: { deep: { a: 1, b: 1 } } });

    await Promise.all([
      ...Array.from({ length: 50 }, (_, n) => sessions.updateSessionState({ [`u${n}`]: n }, "s")),
      ...Array.from({ length: 20 }, (_, n) => run({ sessionId: "s", set: { [`r${n}`]: n } })),
    ]);
    const state = await sessions.updateSessionState({ deep: { a: 2 } }, "s");

    expect(state["deep"]).toEqual({ a: 2 });
    expect(Object.keys(state)).toHaveLength(72);
    expect(await sessions.getSessionState("s")).toEqual(state);
    expect(await codeOf(sessions.updateSessionState({ at: new Date(0) }, "s"))).toBe("VALUE_UNSERIALIZABLE");
  });

  it("names sessions, by hand or from a description and the time", async () => {
    const { run, sessions } = open(assigning);
    await run({ sessionId: "s" });
    const nameOf = async (naming: Parameters<SessionStore["setSessionName"]>[0]) =>
      (await sessions.setSessionName(naming, "s")).name;

    expect((await sessions.rename("s", "Mine")).name).toBe("Mine");
    expect(await nameOf({ name: "Yours" })).toBe("Yours");
    expect(await nameOf({ autogenerate: true })).toBe("Pipeline Session-2026-11-21 08:30");
    expect(await nameOf({ autogenerate: true, description: "Short" })).toBe("Short - 2026-11-21 08:30");
    expect(await nameOf({ autogenerate: true, description: "x".repeat(41) })).toBe(
      `${"x".repeat(40)}- - 2026-11-21 08:30`,
    );
    expect((await sessions.get("s"))?.updatedAtMs).toBe(nowMs);
  });

  it("takes no state and no name that is none", async () => {
    const { run, sessions } = open(assigning);
    await run({ sessionId: "s", set: {} });

    for (const updates of [null, [1], "text", 5, new Date(0)])
      expect(await codeOf(sessions.updateSessionState(updates as never, "s"))).toBe("VALUE_UNSERIALIZABLE");
    for (const name of ["", 5, null]) expect(await codeOf(sessions.rename("s", name as never))).toBe("OPTION_INVALID");
    expect(await codeOf(sessions.setSessionName({} as never, "s"))).toBe("OPTION_INVALID");
    expect(await codeOf(run({ sessionId: "new", given: "text" as never }))).toBe("VALUE_UNSERIALIZABLE");
    expect(await sessions.get("s")).toMatchObject({ name: null, state: { items: [] } });
    expect(await sessions.get("new")).toBeNull();
  });

  it("lists by id, by user, by prefix, in pages", async () => {
    const { run, sessions } = open(assigning);
    for (const [sessionId, userId] of [
      ["b/2", "ann"],
      ["a", "bob"],
      ["b/1", "ann"],
      ["b/3", "bob"],
    ] as const)
      await run({ sessionId, userId });
    const ids = async (query: Parameters<SessionStore["list"]>[0]) =>
      (await sessions.list(query)).sessions.map(({ sessionId }) => sessionId);
    const first = await sessions.list({ prefix: "b/", limit: 2 });

    expect(await ids({})).toEqual(["a", "b/1", "b/2", "b/3"]);
    expect(await ids({ userId: "ann" })).toEqual(["b/1", "b/2"]);
    expect(await ids({ pipelineId: "other" })).toEqual([]);
    expect(await ids({ prefix: "b/", limit: 2, cursor: first.cursor as string })).toEqual(["b/3"]);
  });

  it("deletes, also what is not there, and knows then that it is gone", async () => {
    const { run, sessions } = open(assigning);
    await run({ sessionId: "s", set: { n: 1 } });

    await sessions.delete("s");
    await sessions.delete("s");

    expect(await sessions.get("s")).toBeNull();
    expect(await codeOf(sessions.getSessionState("s"))).toBe("SESSION_UNKNOWN");
    expect(await codeOf(sessions.rename("s", "x"))).toBe("SESSION_UNKNOWN");
    expect(await run({ sessionId: "s" })).toEqual({ items: [] });
  });
});
