/** Runs that nobody waits for, and how to ask where they stand. */
import { type Duration, retryPolicy, stop, wait } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Pipeline, type PipelineRun, Step, type StepFunction } from "../src/index.js";
import { fails, pipeline, step } from "./support/pipelines.js";

/** Goes on when it is told to. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const executor: StepFunction = async () => {
    begin();
    await opened;
    return "through";
  };
  return { open, begun, executor };
}

/** In a list: a run is a promise of its output, which nobody waits for here. */
async function inBackground(made: Pipeline, options = {}): Promise<readonly [PipelineRun]> {
  const run = made.run("in", options);
  await run.accepted;
  return [run];
}

describe("a run in the background", () => {
  it("is stored when it is accepted, runs, waits, and ends, as getRun says", async () => {
    const { open, begun, executor } = gate();
    const asked = pipeline([
      step("a"),
      step("gate", { executor }),
      step("b", { humanReview: { requiresConfirmation: true } }),
    ]);
    const [{ runId }] = await inBackground(asked, { sessionId: "s", userId: "ada" });
    const accepted = await asked.getRun(runId);
    await begun;
    const running = await asked.getRun(runId);
    open();
    await asked.handle(runId).output();
    const paused = await asked.getRun(runId);
    paused.requirements[0]?.confirm();
    await asked.continueRun(paused).accepted;
    await asked.handle(runId);
    const done = await asked.getRun(runId);

    expect(["PENDING", "RUNNING"]).toContain(accepted.status);
    expect(running).toMatchObject({
      status: "RUNNING",
      runId,
      sessionId: "s",
      userId: "ada",
      input: "in",
      content: "in a",
      stepResults: [{ stepName: "a" }],
      requirements: [],
    });
    expect(paused).toMatchObject({ status: "PAUSED", requirements: [{ stepName: "b" }] });
    expect(done).toMatchObject({ status: "COMPLETED", content: "through b", requirements: [] });
  });

  it("is PENDING while its time is yet to come", async () => {
    const store = memoryStore();
    const later = pipeline([step("a")], { store });
    const runtime = createRuntime({ workflows: { [later.id]: later.workflow }, store });
    onTestFinished(() => runtime.stop());
    const labels = { session: "s", user: "ada" };
    const startAt = Date.now() + 3_600_000;
    const input = later.workflowInput("in", { sessionId: "s", userId: "ada" });
    await runtime.run(later.id, input as never, { runId: "later", labels, startAt }).accepted;

    expect(await later.getRun("later")).toMatchObject({
      status: "PENDING",
      sessionId: "s",
      userId: "ada",
      stepResults: [],
    });
    expect((await later.handle("later").cancel()).status).toBe("CANCELLED");
    expect(await later.sessions.get("s")).toBeNull();
  });

  it("that has failed says so, and why, without anybody having waited; so does a cancelled one", async () => {
    const report = vi.spyOn(console, "error").mockImplementation(() => {});
    const { begun, executor } = gate();
    const failing = pipeline([step("a"), step("bad", { executor: fails })]);
    const [failed] = await inBackground(failing);
    const waiting = pipeline([step("gate", { executor })]);
    const [cancelled] = await inBackground(waiting);
    await begun;
    await cancelled.cancel();

    await expect
      .poll(() => failing.getRun(failed.runId))
      .toMatchObject({
        status: "ERROR",
        content: "Pipeline execution failed: no",
        error: { stepName: "bad", message: "no" },
        stepResults: [{ stepName: "a" }, { stepName: "bad", success: false }],
      });
    expect(await waiting.getRun(cancelled.runId)).toMatchObject({ status: "CANCELLED" });
    await expect.poll(() => report.mock.calls.length).toBe(1);
  });

  it("that only waits between attempts is RUNNING", async () => {
    let calls = 0;
    const flaky: StepFunction = () => {
      if (++calls === 1) throw new Error("no");
      return "done";
    };
    const waiting = (between: Duration) => {
      const retry = retryPolicy({ wait: wait.fixed(between), stop: stop.afterAttempts(2) });
      return pipeline([new Step({ name: "flaky", executor: flaky, retry })]);
    };
    const long = waiting("1h");
    const [{ runId }] = await inBackground(long);
    await expect.poll(() => calls).toBe(1);

    expect(await long.getRun(runId)).toMatchObject({ status: "RUNNING" });
    calls = 0;
    expect(await waiting("1s").run("in")).toMatchObject({ status: "COMPLETED", content: "done" });
    expect(calls).toBe(2);
  });

  it("is nobody's business but its user's, and unknown where there is none", async () => {
    const owned = pipeline([step("a")]);
    const run = owned.run("in", { userId: "ada" });
    await run;
    const free = owned.run("in", { sessionId: "free" });
    await free;

    await expect(owned.getRun(run.runId, "bob")).rejects.toMatchObject({ code: "SESSION_FOREIGN" });
    expect(await owned.getRun(run.runId, "ada")).toMatchObject({ status: "COMPLETED", userId: "ada" });
    expect(await owned.getRun(free.runId, "bob")).toMatchObject({ userId: null });
    await expect(owned.getRun("unknown")).rejects.toMatchObject({ code: "RUN_UNKNOWN" });
    await expect(owned.handle("unknown").events().next()).rejects.toMatchObject({ code: "RUN_UNKNOWN" });
  });

  it("with an id that is there already is that run; with another input it is refused", async () => {
    let calls = 0;
    const once = pipeline([() => ++calls]);
    const first = await once.run("in", { runId: "one" });
    const second = await once.run("in", { runId: "one" });

    expect(second).toEqual(first);
    expect(calls).toBe(1);
    await expect(once.run("other", { runId: "one" })).rejects.toMatchObject({
      code: "RUN_ID_CONFLICT",
      message: expect.stringContaining("different: request.input"),
      hint: expect.not.stringContaining("sessionId"),
    });
  });

  it("that another pipeline object has started without a session is refused, and the hint names `sessionId`", async () => {
    const store = memoryStore();
    const [one, other] = [pipeline([step("a")], { store }), pipeline([step("a")], { store })];
    await one.run("go", { runId: "one" });

    const again = other.run("go", { runId: "one" });
    const refused = {
      code: "RUN_ID_CONFLICT",
      message: expect.stringContaining("different: request.sessionId"),
      hint: expect.stringContaining("sessionId"),
    };

    await expect(again).rejects.toMatchObject(refused);
    await expect(again.accepted).rejects.toMatchObject(refused);
    await expect(again.events().next()).rejects.toMatchObject(refused);
  });

  it("that another pipeline object has started in the same session is that run", async () => {
    const store = memoryStore();
    const [one, other] = [pipeline([step("a")], { store }), pipeline([step("a")], { store })];
    const options = { runId: "one", sessionId: "session" };

    expect(await other.run("go", options)).toEqual(await one.run("go", options));
  });
});

describe("runs", () => {
  it("are found by session, user and status, the newest first, in pages, of this pipeline only", async () => {
    const store = memoryStore();
    const listed = pipeline(
      [step("a", { executor: (input) => (input.input === "bad" ? fails(input, {} as never) : "a") })],
      { store },
    );
    const other = pipeline([step("a")], { store, name: "Other" });
    await listed.run("in", { runId: "one", sessionId: "s", userId: "ada" });
    await listed.run("bad", { runId: "two", sessionId: "s", userId: "ada" }).output();
    await listed.run("in", { runId: "three", sessionId: "t", userId: "ada" });
    await listed.run("in", { runId: "four", sessionId: "u" });
    await other.run("in", { runId: "five", sessionId: "s", userId: "ada" });
    const ids = async (query: Parameters<Pipeline["runs"]>[0]) =>
      (await listed.runs(query)).runs.map(({ runId }) => runId).sort();

    expect(await ids({})).toEqual(["four", "one", "three", "two"]);
    expect(await ids({ sessionId: "s" })).toEqual(["one", "two"]);
    expect(await ids({ userId: "ada" })).toEqual(["one", "three", "two"]);
    expect(await ids({ sessionId: "t", userId: "ada" })).toEqual(["three"]);
    expect(await ids({ sessionId: "t", userId: "bob" })).toEqual([]);
    const first = await listed.runs({ limit: 3 });
    const last = await listed.runs({ limit: 3, cursor: first.cursor as string });
    expect([first.runs.length, last.runs.length, last.cursor]).toEqual([3, 1, null]);
    const created = [...first.runs, ...last.runs].map(({ createdAtMs }) => createdAtMs);
    expect(created).toEqual([...created].sort((one, two) => two - one));
  });
});
