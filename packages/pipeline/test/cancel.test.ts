/** A run that somebody stops keeps what was done. */
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime, memoryStore, type RecordKey, type RunStore } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import {
  Loop,
  Parallel,
  Pipeline,
  PipelineCancel,
  type PipelineRun,
  Step,
  type StepFunction,
  Steps,
} from "../src/index.js";
import { fakeAgent } from "./support/fake-executor.js";
import { temporaryDirectory } from "./support/files.js";
import { Gate } from "./support/gate.js";
import { eventsOf, namesOf, pipeline, step } from "./support/pipelines.js";
import { settle } from "./support/settle.js";
import { WatchedStore } from "./support/watched-store.js";

/** Never ends by itself; says when it has begun and why it had to stop. */
function waiting() {
  const seen: { calls: number; reason: unknown } = { calls: 0, reason: null };
  let begun = (): void => {};
  const started = new Promise<void>((resolve) => (begun = resolve));
  const executor: StepFunction = (_input, { signal }) => {
    seen.calls++;
    begun();
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => {
        seen.reason = signal.reason;
        reject(signal.reason);
      }),
    );
  };
  return { seen, started, executor };
}

/** Nothing begins before the gate: a run reads its session first. */
function readingAfter({ passed }: Gate): RunStore {
  const inner = memoryStore();
  return new Proxy(inner, {
    get(target, name) {
      if (name === "record") return (key: RecordKey) => passed.then(() => inner.record(key));
      const member = Reflect.get(target, name) as unknown;
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

describe("a cancelled run", () => {
  it("has what a step has given whose end was not stored yet", async () => {
    const [open, asked, held] = [new Gate(), new Gate(), new Gate()];
    const watched = new WatchedStore();
    watched.before = (text) => {
      if (!text.includes("pipeline.cancel")) return undefined;
      asked.pass();
      return held.passed;
    };
    const { executor, started } = waiting();
    const slow = step("slow", { executor: () => open.passed.then(() => "done") });
    const made = pipeline([new Parallel("both", slow, step("waits", { executor }))], { store: watched.store });
    const run = made.run("in");
    await started;
    const cancelled = run.cancel();
    await asked.passed;
    open.pass();
    await settle();
    held.pass();

    expect((await cancelled).stepResults[0]?.steps).toMatchObject([
      { stepName: "slow", content: "done", success: true },
      { stepName: "waits", error: "Cancelled during execution" },
    ]);
  });

  it("keeps what was done in its output and in its session, listed once, with its metrics once", async () => {
    const { executor, started } = waiting();
    const cancelled = pipeline([
      step("a", {
        executor: (_input, { sessionState }) => {
          sessionState["a"] = "done";
          return "a";
        },
      }),
      new Step({ name: "agent", executor: fakeAgent("agent") }),
      new Steps({
        name: "group",
        steps: [new Step({ name: "inside", executor: fakeAgent("inside") }), step("waits", { executor })],
      }),
      step("never"),
    ]);
    const run = cancelled.run("in", { sessionId: "s", userId: "ada" });
    await started;
    const output = await run.cancel("enough");
    const again = await run.cancel();

    expect(output).toMatchObject({
      status: "CANCELLED",
      content: `Run ${run.runId} was cancelled`,
      error: null,
      cancelReason: "enough",
      sessionState: { a: "done" },
      stepResults: [
        { stepName: "a" },
        { stepName: "agent" },
        {
          stepName: "group",
          content: "Steps group is not finished",
          success: false,
          error: "Cancelled during execution",
          steps: [
            { stepName: "inside", success: true },
            { stepName: "waits", success: false, error: "Cancelled during execution" },
          ],
        },
      ],
    });
    expect(Object.keys(output.metrics.steps)).toEqual(["a", "agent", "inside", "waits"]);
    expect(again).toMatchObject({ status: "CANCELLED" });
    expect(await run).toMatchObject({ status: "CANCELLED" });
    expect(await cancelled.sessions.get("s")).toMatchObject({
      userId: "ada",
      state: { a: "done" },
      runs: [{ runId: run.runId, status: "CANCELLED" }],
      metrics: { totalTokens: 20, duration: 2 },
    });
  });

  it("leaves the session to the next run", async () => {
    const { executor, started } = waiting();
    const shared = pipeline(
      [
        (_input, { sessionState }) => {
          (sessionState["list"] as string[]).push("x");
        },
        step("waits", { executor: (input, context) => (input.input === "wait" ? executor(input, context) : "ended") }),
      ],
      { sessionState: { list: [] } },
    );
    const run = shared.run("wait", { sessionId: "s" });
    await started;
    await run.cancel();

    expect(await shared.run("go", { sessionId: "s" })).toMatchObject({ sessionState: { list: ["x", "x"] } });
    expect((await shared.sessions.get("s"))?.runs.map(({ status }) => status)).toEqual(["CANCELLED", "COMPLETED"]);
  });

  it("aborts the signal of functions and agents in all branches, and shows its end to readers", async () => {
    const one = waiting();
    const other = waiting();
    const agent = fakeAgent(
      "agent",
      async (request) => other.executor({} as never, { signal: request.signal } as never) as never,
    );
    const run = pipeline([
      new Parallel("both", step("one", { executor: one.executor }), new Step({ name: "agent", executor: agent })),
    ]).run("in", { streamEvents: true });
    await Promise.all([one.started, other.started]);
    const reading = eventsOf(run);
    await run.cancel("enough");
    const events = await reading;

    expect(one.seen.reason).not.toBeNull();
    expect(other.seen.reason).not.toBeNull();
    expect(namesOf(events).slice(-2)).toEqual(["WorkflowCancelled", "WorkflowCompleted"]);
    expect(events.at(-2)).toMatchObject({ reason: "enough" });
    expect(events.at(-1)).toMatchObject({ status: "CANCELLED" });
  });

  it("is not tried again, nor skipped, nor asked about", async () => {
    for (const onError of ["skip", "pause"] as const) {
      const { executor, started, seen } = waiting();
      const stubborn = step("waits", { executor, maxRetries: 5, onError });
      const run = pipeline([
        new Loop({ name: "loop", onError, steps: [new Steps({ name: "group", onError, steps: [stubborn] })] }),
        step("never"),
      ]).run("in");
      await started;
      const output = await run.cancel();
      await settle();

      expect(output).toMatchObject({ status: "CANCELLED", hasFailures: false, requirements: [] });
      expect(output.stepResults).toMatchObject([
        { stepName: "loop", skipped: false, error: "Cancelled during execution", steps: [{ stepName: "group" }] },
      ]);
      expect(seen.calls).toBe(1);
    }
  });

  it("stops a nested pipeline too, once", async () => {
    const { executor, started, seen } = waiting();
    const inner = new Pipeline({ name: "Inner", steps: [step("waits", { executor })] });
    const run = pipeline([step("a"), new Step({ name: "nested", executor: inner, onError: "skip" })]).run("in");
    await started;

    expect(await run.cancel()).toMatchObject({
      status: "CANCELLED",
      stepResults: [{ stepName: "a" }, { stepName: "nested", error: "Cancelled during execution" }],
    });
    await expect.poll(() => seen.reason).not.toBeNull();
    expect(seen.calls).toBe(1);
  });

  it("before it has begun runs nothing, and spoils no new session", async () => {
    let calls = 0;
    const template = { list: ["template"] };
    const gate = new Gate();
    const early = pipeline([() => ++calls], { sessionState: template, store: readingAfter(gate) });
    const run = early.run("in", { sessionId: "s" });
    const output = await run.cancel();
    gate.pass();
    const next = await early.run("in", { sessionId: "s" });

    expect(output).toMatchObject({ status: "CANCELLED", sessionId: "s", stepResults: [] });
    expect(calls).toBe(1);
    expect(next.sessionState).toEqual(template);
    expect(await early.getRun(run.runId)).toMatchObject({ status: "CANCELLED" });
  });

  it("while it is paused is asked about no more", async () => {
    const asked = pipeline([step("a"), step("b", { humanReview: { requiresConfirmation: true } })]);
    const run = asked.run("in", { sessionId: "s" });
    const paused = await run;
    const output = await run.cancel("too late");
    paused.requirements[0]?.confirm();

    expect(output).toMatchObject({ status: "CANCELLED", requirements: [], stepResults: [{ stepName: "a" }] });
    await expect(asked.continueRun(paused)).rejects.toMatchObject({ code: "PROMPT_CLOSED" });
    expect(namesOf(await eventsOf(run)).slice(-2)).toEqual(["WorkflowCancelled", "WorkflowCompleted"]);
    expect((await asked.sessions.get("s"))?.runs).toMatchObject([{ status: "CANCELLED" }]);
  });

  it("in a runtime of its own is cancelled by an event, also without a reason", async () => {
    const { executor, started } = waiting();
    const own = new Pipeline({ name: "Own", steps: [step("a"), step("waits", { executor })] });
    const runtime = createRuntime({ workflows: { own: own.workflow } });
    const handle = runtime.run("own", own.workflowInput("in", { sessionId: "s" }) as never);
    await started;
    const receipt = await handle.sendEvent(new PipelineCancel({}) as never);
    const error = await handle.then(null, (thrown: unknown) => thrown);
    const { status } = await handle.summary();
    const session = await runtime.records.read("session", "s");
    await runtime.stop();

    expect(receipt).toMatchObject({ status: "accepted" });
    expect(error).toMatchObject({ code: "RUN_CANCELLED" });
    expect(status).toBe("cancelled");
    expect(session?.value).toMatchObject({ runs: [{ runId: handle.runId, status: "CANCELLED" }] });
  });

  it("through the runtime keeps its work: the session is written when it has gone on and ended", async () => {
    const { executor, started, seen } = waiting();
    const store = memoryStore();
    const own = pipeline(
      [step("a"), step("waits", { executor: (...given) => (seen.calls === 0 ? executor(...given) : "b") })],
      {
        store,
        storeEvents: true,
      },
    );
    const runtime = createRuntime({ workflows: { [own.id]: own.workflow }, store });
    const handle = runtime.run(own.id, own.workflowInput("in", { sessionId: "s" }) as never);
    await started;
    await handle.cancel("enough");
    const cancelled = await own.getRun(handle.runId);
    const between = await own.sessions.get("s");
    await runtime.resume(handle.runId);
    const output = await own.handle(handle.runId);

    expect(cancelled).toMatchObject({ status: "CANCELLED", cancelReason: "enough", stepResults: [{ stepName: "a" }] });
    expect(cancelled.events.slice(-2)).toMatchObject([{ event: "WorkflowCancelled" }, { event: "WorkflowCompleted" }]);
    expect(between).toMatchObject({ runs: [{ runId: handle.runId, status: "RUNNING" }], metrics: null });
    expect(output).toMatchObject({ status: "COMPLETED", content: "b" });
    expect(await own.sessions.get("s")).toMatchObject({ runs: [{ runId: handle.runId, status: "COMPLETED" }] });
    await runtime.stop();
  });

  it("after its end is as it was", async () => {
    const ended = pipeline([step("a")]);
    const run: PipelineRun = ended.run("in", { sessionId: "s" });
    await run;

    expect(await run.cancel()).toMatchObject({ status: "COMPLETED", content: "in a" });
    expect((await ended.sessions.get("s"))?.runs).toMatchObject([{ status: "COMPLETED" }]);
  });

  it("is cancelled for the next process too, which may be the one that does it", async () => {
    const path = join(temporaryDirectory(), "runs.db");
    const make = () =>
      new Pipeline({
        name: "Asked",
        store: sqliteStore(path, { durability: "process" }),
        steps: [step("a"), step("b", { humanReview: { requiresConfirmation: true } })],
      });
    const first = make();
    await first.run("in", { runId: "one", sessionId: "s" });
    await first.close();
    const second = make();
    const output = await second.handle("one").cancel();
    await second.close();
    const third = make();
    const later = await third.getRun("one");
    const session = await third.sessions.get("s");
    await third.close();

    expect(output).toMatchObject({ status: "CANCELLED", stepResults: [{ stepName: "a" }] });
    expect(later).toMatchObject({ status: "CANCELLED", stepResults: [{ stepName: "a" }] });
    expect(session?.runs).toMatchObject([{ runId: "one", status: "CANCELLED" }]);
  });
});
