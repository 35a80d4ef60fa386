/** A session from its first run on: whose it is, what it says of runs under way, and what becomes of it meanwhile. */
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { memoryStore } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import { Pipeline, type PipelineOptions, type PipelineRunOutput, type StepFunction } from "../src/index.js";
import { temporaryDirectory } from "./support/files.js";
import { Gate } from "./support/gate.js";
import { eventsOf, fails, pipeline, step } from "./support/pipelines.js";

/** Its run changes the state, then waits, changes it again, and ends. */
function halting(options: Partial<PipelineOptions> = {}) {
  const [begun, open] = [new Gate(), new Gate()];
  const work: StepFunction = async ({ input }, { sessionState }) => {
    sessionState["list"] = [...((sessionState["list"] as unknown[] | undefined) ?? []), input];
    if (input !== "waits") return;
    begun.pass();
    await open.passed;
    sessionState["after"] = true;
  };
  const made = pipeline([work], { sessionState: { list: [] }, ...options });
  return { made, begun, open };
}

describe("a session whose first run is at work", () => {
  it("is listed, with its owner, the template, and the run", async () => {
    const { made, begun, open } = halting();
    const run = made.run("waits", { sessionId: "s", userId: "ada" });
    await begun.passed;
    const { sessions } = await made.sessions.list({ userId: "ada" });
    open.pass();
    await run;

    expect(sessions).toMatchObject([
      { userId: "ada", state: { list: [] }, metrics: null, runs: [{ runId: run.runId, status: "RUNNING" }] },
    ]);
    expect(await made.sessions.get("s")).toMatchObject({
      state: { list: ["waits"], after: true },
      runs: [{ runId: run.runId, status: "COMPLETED" }],
    });
    expect(await made.getSessionMetrics("s")).not.toBeNull();
  });

  it("is refused to another user at once, who runs nothing in it", async () => {
    const { made, begun, open } = halting();
    const run = made.run("waits", { sessionId: "s", userId: "ada" });
    await begun.passed;

    await expect(made.run("eve", { sessionId: "s", userId: "eve" })).rejects.toMatchObject({ code: "SESSION_FOREIGN" });
    open.pass();
    expect((await run).sessionState).toEqual({ list: ["waits"], after: true });
  });

  it("that was nobody's belongs to the first user who runs in it, from the start of that run", async () => {
    const { made, begun, open } = halting();
    await made.run("nobody", { sessionId: "s" });
    const run = made.run("waits", { sessionId: "s", userId: "ada" });
    await begun.passed;

    expect(await made.sessions.get("s")).toMatchObject({
      userId: "ada",
      runs: [{ status: "COMPLETED" }, { runId: run.runId, status: "RUNNING" }],
    });
    await expect(made.run("eve", { sessionId: "s", userId: "eve" })).rejects.toMatchObject({ code: "SESSION_FOREIGN" });
    open.pass();
    expect((await run).sessionState).toMatchObject({ list: ["nobody", "waits"] });
  });

  it("says of a first run that fails, or is cancelled, how it has ended, and counts it once", async () => {
    const failed = pipeline([step("a"), fails]);
    await failed.run("in", { sessionId: "s" }).output();
    const { made, begun } = halting();
    const run = made.run("waits", { sessionId: "s" });
    await begun.passed;
    await run.cancel();

    expect((await failed.sessions.get("s"))?.runs).toMatchObject([{ status: "ERROR" }]);
    expect((await made.sessions.get("s"))?.runs).toMatchObject([{ status: "CANCELLED" }]);
  });

  it("is not there where the run could not begin", async () => {
    const { made } = halting();

    const sessionState = { at: new URL("https://example.com") };
    expect(() => made.run("in", { sessionId: "s", sessionState })).toThrow(
      expect.objectContaining({ code: "VALUE_UNSERIALIZABLE" }),
    );
    expect(await made.sessions.get("s")).toBeNull();
  });
});

describe("a new session that two users run in at once, over two connections to one file", () => {
  it("is that of one of them, and the other one runs nothing in it", async () => {
    const path = join(temporaryDirectory(), "runs.db");
    const notes: StepFunction = (_input, { userId, editState }) =>
      editState((state) => void (state["by"] = [...((state["by"] as unknown[] | undefined) ?? []), userId]));
    const of = (userId: string) => pipeline([notes], { store: sqliteStore(path, { durability: "process" }), userId });
    const [ada, bob] = [of("ada"), of("bob")];
    const sessions = Array.from({ length: 20 }, (_, n) => `session ${n}`);

    const endings = await Promise.all(
      sessions.map((sessionId) =>
        Promise.all([ada, bob].map((one) => one.run("in", { sessionId }).output().catch(codeOf))),
      ),
    );
    const stored = await Promise.all(sessions.map((sessionId) => ada.sessions.get(sessionId)));

    for (const [index, both] of endings.entries()) {
      const [output] = both.filter((one) => one !== "SESSION_FOREIGN") as [PipelineRunOutput];
      expect(both).toContain("SESSION_FOREIGN");
      expect(output).toMatchObject({ status: "COMPLETED", sessionState: { by: [output.userId] } });
      expect(stored[index]).toMatchObject({ userId: output.userId, state: { by: [output.userId] }, runs: [{}] });
    }
  });
});

function codeOf(error: unknown): string {
  return (error as { code: string }).code;
}

describe("a session that is another user's by the end of a run", () => {
  async function taken() {
    const { made, begun, open } = halting({ storeEvents: true });
    const run = made.run("waits", { sessionId: "s", userId: "ada" });
    await begun.passed;
    await made.sessions.delete("s");
    await made.run("eve", { sessionId: "s", userId: "eve" });
    return { made, run, open };
  }

  it("stays as it is: the run ends with an error that says so", async () => {
    const { made, run, open } = await taken();
    open.pass();
    const output = await run.output();

    expect(output).toMatchObject({
      status: "ERROR",
      error: { code: "SESSION_FOREIGN", message: 'Session "s" belongs to another user than "ada".', retryable: false },
      sessionState: { list: ["waits"], after: true },
      stepResults: [{ success: true }],
    });
    await expect(Promise.resolve(run)).rejects.toMatchObject({ code: "PIPELINE_FAILED" });
    expect((await eventsOf(run)).at(-1)).toMatchObject({ event: "WorkflowError" });
    expect(output.events.at(-1)).toMatchObject({ event: "WorkflowError" });
    expect(await made.sessions.get("s")).toMatchObject({ userId: "eve", state: { list: ["eve"] }, runs: [{}] });
  });

  it("stays as it is where the run is cancelled, too", async () => {
    const { made, run } = await taken();

    expect(await run.cancel()).toMatchObject({ status: "ERROR", error: { code: "SESSION_FOREIGN" } });
    expect(await made.sessions.get("s")).toMatchObject({ userId: "eve", state: { list: ["eve"] }, runs: [{}] });
  });
});

describe("a session that is changed while a run is at work", () => {
  it("begins anew where it was deleted, and has what the run has changed, and nothing else of before", async () => {
    const { made, begun, open } = halting({ sessionState: { list: [], fresh: 1 } });
    await made.run("before", { sessionId: "s", sessionState: { secret: "old" } });
    const run = made.run("waits", { sessionId: "s" });
    await begun.passed;
    await made.sessions.delete("s");
    open.pass();
    await run;

    expect(await made.sessions.get("s")).toMatchObject({ runs: [{ runId: run.runId }] });
    expect(await made.getSessionState("s")).toEqual({ list: ["waits"], fresh: 1, after: true });
  });

  it("has what updateSessionState has set, and a new name", async () => {
    const { made, begun, open } = halting();
    const run = made.run("waits", { sessionId: "s" });
    await begun.passed;
    await made.updateSessionState({ list: ["updated"], other: 1 }, "s");
    await made.sessions.rename("s", "Named");
    open.pass();

    expect((await run).sessionState).toEqual({ list: ["updated", "waits"], other: 1, after: true });
    expect((await made.sessions.get("s"))?.name).toBe("Named");
  });

  it("has what a run with overwriteDbSessionState brings, and what others have changed meanwhile", async () => {
    const { made, begun, open } = halting({ overwriteDbSessionState: true });
    await made.run("before", { sessionId: "s", sessionState: { old: 1, kept: 1 } });
    const run = made.run("waits", { sessionId: "s", sessionState: { given: 1 } });
    await begun.passed;
    await made.updateSessionState({ kept: 2 }, "s");
    open.pass();

    expect((await run).sessionState).toEqual({ list: ["waits"], given: 1, after: true, kept: 2 });
  });

  it("is shared by pipelines of one store, each with its template and its history", async () => {
    const store = memoryStore();
    const shares: StepFunction = async ({ input }, { editState }) =>
      editState((state) => {
        state["n"] = ((state["n"] as number | undefined) ?? 0) + 1;
        state[String(input)] = true;
      });
    const make = (name: string) =>
      new Pipeline({ name, store, steps: [shares], sessionState: { [`of ${name}`]: true } });
    const [one, other] = [make("one"), make("other")];
    await Promise.all([0, 1, 2, 3].map((n) => (n % 2 ? one : other).run(`run ${n}`, { sessionId: "s" })));
    const state = await one.getSessionState("s");
    await Promise.all([one.close(), other.close()]);

    expect(state).toMatchObject({ n: 4, "run 0": true, "run 1": true, "run 2": true, "run 3": true });
  });
});

describe("what is not plain data", () => {
  const cycle: Record<string, unknown> = {};
  cycle["cycle"] = cycle;

  it.each([
    ["a date", new Date(0)],
    ["a map", new Map([[1, 2]])],
    ["a function", () => {}],
    ["no number", Number.NaN],
    ["what contains itself", cycle],
  ])("is refused where it is written: %s", async (_name, value) => {
    const writes: StepFunction = (_input, { sessionState }) => void (sessionState["at"] = value);
    const edits: StepFunction = (_input, { editState }) => editState((state) => void (state["at"] = value));

    for (const executor of [writes, edits]) {
      const refusing = pipeline([executor]);
      expect(await refusing.run("in", { sessionId: "s" }).output()).toMatchObject({
        status: "ERROR",
        error: { code: "VALUE_UNSERIALIZABLE" },
      });
      expect(await refusing.getSessionState("s")).toEqual({});
      await expect(refusing.updateSessionState({ at: value }, "s")).rejects.toMatchObject({
        code: "VALUE_UNSERIALIZABLE",
      });
    }
  });

  it("is a field that is undefined: it is as if it were not there", async () => {
    const writes: StepFunction = (_input, { sessionState }) => {
      sessionState["gone"] = undefined;
      sessionState["list"] = [{ a: undefined, b: 1 }];
    };
    const plain = pipeline([writes, (_input, { sessionState }) => JSON.stringify(sessionState)]);
    const output = await plain.run("in", { sessionId: "s" });

    expect(output.content).toBe('{"list":[{"b":1}]}');
    expect(JSON.stringify(await plain.getSessionState("s"))).toBe('{"list":[{"b":1}]}');
  });
});

describe("a large session", () => {
  it("of ten thousand keys is merged", async () => {
    const keys = Array.from({ length: 10_000 }, (_, n) => `key ${n}`);
    const large = pipeline(
      [
        ({ input }, { sessionState }) => {
          for (let n = Number(input); n < keys.length; n += 10) sessionState[`key ${n}`] = { by: input };
        },
      ],
      { sessionState: Object.fromEntries(keys.map((key) => [key, null])) },
    );
    await Promise.all(Array.from({ length: 10 }, (_, n) => large.run(n, { sessionId: "s" })));
    const state = await large.getSessionState("s");

    expect(Object.keys(state)).toHaveLength(10_000);
    expect(keys.every((key, n) => (state[key] as { by: number }).by === n % 10)).toBe(true);
  });
});
