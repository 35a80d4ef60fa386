/** Runs that stand alone and do not end well: what is kept of them, and how they are continued. */
import { APICallError } from "ai";
import { describe, expect, it } from "vitest";
import { Agent, type AgentSessions, memorySessions, tool } from "../src/index.js";
import { deferred } from "./support/deferred.js";
import { namesOf, readAll } from "./support/events.js";
import { scripted } from "./support/models.js";
import { allow, refund } from "./support/refunds.js";

const refunding = [["refund", { order: 7 }]] as const;
const tooBusy = (retryAfterMs: string): APICallError =>
  new APICallError({
    ...{ message: "busy", url: "", requestBodyValues: {}, statusCode: 503, isRetryable: true },
    responseHeaders: { "retry-after-ms": retryAfterMs },
  });
const down = (): Promise<never> => Promise.reject(new TypeError("down"));

/** Counts its calls. */
function paying() {
  const keys: string[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    execute: (_args, { idempotencyKey, sessionState }) => {
      keys.push(idempotencyKey);
      sessionState["paid"] = ((sessionState["paid"] as number | undefined) ?? 0) + 1;
      return "paid";
    },
  });
  return { keys, pay };
}

describe("a run that has failed", () => {
  it("is continued where it stood: what was answered and done stays", async () => {
    const { keys, pay } = paying();
    const sessions = memorySessions();
    const model = scripted([[["pay", {}]], down, "Done."]);
    const agent = new Agent({ model, sessions, tools: [pay], maxRetries: 0 });
    await expect(agent.run("Pay", { runId: "r1", sessionId: "s1" })).rejects.toMatchObject({ code: "AGENT_FAILED" });

    const done = await agent.continueRun({ runId: "r1", sessionId: "s1" }, []);

    expect(done).toMatchObject({ status: "COMPLETED", content: "Done.", runId: "r1", sessionState: { paid: 1 } });
    expect(keys).toHaveLength(1);
    expect(model.doGenerateCalls).toHaveLength(3);
    const session = await sessions.load("s1", null, { runs: 10 });
    expect(session?.runs).toMatchObject([{ runId: "r1", status: "COMPLETED", input: "Pay", pause: null }]);
    expect(session?.metrics.totalTokens).toBe(30);
  });

  it("is continued with the same answers after a continueRun that has failed, and again", async () => {
    const model = scripted([refunding, down, down, "Done."]);
    const agent = new Agent({ model, sessions: memorySessions(), tools: [refund], maxRetries: 0 });
    const paused = await agent.run("Refund 7");

    await expect(agent.continueRun(paused, allow("call-0"))).rejects.toMatchObject({ code: "AGENT_FAILED" });
    await expect(agent.continueRun(paused, allow("call-0"))).rejects.toMatchObject({ code: "AGENT_FAILED" });
    const done = await agent.continueRun(paused, allow("call-0"));

    expect(done).toMatchObject({ content: "Done.", sessionState: { refunds: [7] }, metrics: { totalTokens: 30 } });
    expect((await agent.getSessionMetrics(paused.sessionId)).totalTokens).toBe(30);
  });

  it("asks its model anew after all attempts of a call have failed", async () => {
    const busy = () => Promise.reject(tooBusy("1"));
    const model = scripted([busy, busy, busy, "Done."]);
    const agent = new Agent({ model, sessions: memorySessions() });
    await expect(agent.run("Hi", { runId: "r1" })).rejects.toMatchObject({
      code: "AGENT_FAILED",
      details: { attempts: 3 },
    });

    expect(await agent.continueRun({ runId: "r1" }, [])).toMatchObject({ content: "Done." });
  });

  it("tells its readers that it goes on", async () => {
    const agent = new Agent({ model: scripted([down, "Done."]), sessions: memorySessions(), maxRetries: 0 });
    await readAll(agent.stream("Hi", { runId: "r1" }));

    const { events } = await readAll(agent.continueStream({ runId: "r1" }, []));

    expect(namesOf(events)).toEqual(["RunContinued", "RunContent", "RunCompleted"]);
  });

  it("asks again what was open when it failed", async () => {
    const model = scripted([() => down(), refunding, "Done."]);
    const agent = new Agent({ model, sessions: memorySessions(), tools: [refund], maxRetries: 0 });
    await expect(agent.run("Refund 7", { runId: "r1" })).rejects.toThrow();

    const paused = await agent.continueRun({ runId: "r1" }, []);
    const done = await agent.continueRun(paused, allow("call-0"));

    expect([paused.status, done.status]).toEqual(["PAUSED", "COMPLETED"]);
  });

  it("is refused to another agent, and to one that has not stored it", async () => {
    const sessions = memorySessions();
    const options = { sessions, sessionId: "s1", maxRetries: 0 };
    await expect(
      new Agent({ ...options, name: "One", model: scripted([down]) }).run("Hi", { runId: "r1" }),
    ).rejects.toThrow();
    const other = new Agent({ ...options, name: "Two", model: scripted([]) });

    await expect(other.continueRun({ runId: "r1" }, [])).rejects.toMatchObject({ code: "RUN_NOT_PAUSED" });
    await expect(other.continueRun({ runId: "r2" }, [])).rejects.toMatchObject({ code: "RUN_NOT_PAUSED" });
  });
});

it("of two continues of one paused run at once, one goes on", async () => {
  const model = scripted([refunding, "Done.", "Done twice."]);
  const agent = new Agent({ model, sessions: memorySessions(), tools: [refund] });
  const paused = await agent.run("Refund 7");

  const both = await Promise.allSettled([
    agent.continueRun(paused, allow("call-0")),
    agent.continueRun(paused, allow("call-0")),
  ]);

  expect(both).toMatchObject([
    { status: "fulfilled", value: { content: "Done.", sessionState: { refunds: [7] } } },
    { status: "rejected", reason: { code: "RUN_NOT_PAUSED", details: { runId: paused.runId } } },
  ]);
  expect(model.doGenerateCalls).toHaveLength(2);
});

it("of two continues in two processes, both call the tool, under one key, and the session counts one", async () => {
  const sessions = memorySessions();
  const ofProcess = (): AgentSessions => ({
    load: (...query) => sessions.load(...query),
    save: (change) => sessions.save(change),
  });
  const other = deferred();
  const agentOf = (script: Parameters<typeof scripted>[0]) =>
    new Agent({ name: "Clerk", model: scripted(script), sessions: ofProcess(), sessionId: "s1", tools: [refund] });
  const paused = await agentOf([refunding]).run("Refund 7");
  const slow = agentOf([async () => other.promise.then(() => "Done late.")]).continueRun(paused, allow("call-0"));

  const first = await agentOf(["Done."]).continueRun(paused, allow("call-0"));
  other.resolve();
  const second = await slow;

  expect([first, second].map(({ content }) => content)).toEqual(["Done.", "Done late."]);
  expect(new Set([first, second].flatMap(({ sessionState }) => sessionState["keys"])).size).toBe(1);
  const session = await sessions.load("s1", null, { runs: 10 });
  expect(session?.runs).toMatchObject([{ status: "COMPLETED", content: "Done." }]);
  expect(session).toMatchObject({ state: { refunds: [7] }, metrics: { totalTokens: 30 } });
});

describe("a session store that fails at the save", () => {
  function failing(times: number): AgentSessions {
    const sessions = memorySessions();
    let left = times;
    return {
      load: (...query) => sessions.load(...query),
      save: (change) => (left-- > 0 ? Promise.reject(new TypeError("disk full")) : sessions.save(change)),
    };
  }

  it("fails the run, whose readers are told", async () => {
    const agent = new Agent({ model: scripted(["Hi."]), sessions: failing(9) });

    const { events, error } = await readAll(agent.stream("Hi"));

    expect(namesOf(events)).toEqual(["RunStarted", "RunContent", "RunError"]);
    expect(error).toMatchObject({ message: "disk full" });
  });

  it("for once: the run is continued with the save alone", async () => {
    const model = scripted(["Hi."]);
    const agent = new Agent({ model, sessions: failing(1), sessionState: { n: 1 } });
    await expect(agent.run("Hi", { runId: "r1" })).rejects.toThrow("disk full");

    const done = await agent.continueRun({ runId: "r1" }, []);

    expect(done).toMatchObject({ content: "Hi.", sessionState: { n: 1 } });
    expect(model.doGenerateCalls).toHaveLength(1);
    expect(await agent.getSessionState()).toEqual({ n: 1 });
  });

  it("at a pause: the caller is told, and nothing waits", async () => {
    const agent = new Agent({ model: scripted([refunding]), sessions: failing(1), tools: [refund] });

    await expect(agent.run("Refund 7")).rejects.toThrow("disk full");
  });
});

describe("a run that is cancelled", () => {
  it("in the middle of a tool keeps what other tools have done, and is stored as cancelled", async () => {
    const { pay } = paying();
    const begun = deferred();
    const stop = new AbortController();
    const wait = tool({
      name: "wait",
      description: "Waits.",
      execute: async (_args, { signal }) => {
        begun.resolve();
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const sessions = memorySessions();
    const model = scripted([[["pay", {}]], [["wait", {}]], "Never."]);
    const agent = new Agent({ model, sessions, tools: [pay, wait] });

    const run = agent.run("Pay", { sessionId: "s1", signal: stop.signal });
    await begun.promise;
    stop.abort(new Error("enough"));

    await expect(run).rejects.toMatchObject({ code: "RUN_CANCELLED", message: expect.stringContaining("enough") });
    const session = await sessions.load("s1", null, { runs: 1 });
    expect(session).toMatchObject({ state: { paid: 1 }, runs: [{ status: "CANCELLED", pause: null }] });
    expect(session?.metrics.totalTokens).toBe(30);
    expect(model.doGenerateCalls).toHaveLength(2);
  });

  it("while it waits before it asks its model again ends at once", async () => {
    const stop = new AbortController();
    const busy = () => {
      setImmediate(() => stop.abort());
      return Promise.reject(tooBusy("50000"));
    };
    const model = scripted([busy, "Never."]);

    await expect(new Agent({ model }).run("Hi", { signal: stop.signal })).rejects.toMatchObject({
      code: "RUN_CANCELLED",
    });
    expect(model.doGenerateCalls).toHaveLength(1);
  });

  it("before it begins asks nothing and saves nothing", async () => {
    const model = scripted(["Never."]);
    const sessions = memorySessions();
    const agent = new Agent({ model, sessions });

    const run = agent.run("Hi", { sessionId: "s1", signal: AbortSignal.abort() });

    await expect(run).rejects.toMatchObject({ code: "RUN_CANCELLED" });
    expect(model.doGenerateCalls).toEqual([]);
    expect(await sessions.load("s1", null, { runs: 1 })).toBeNull();
  });
});
