/** A cancel at any moment: what was done counts, and readers of the stream see what is kept. */
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Parallel, Step, type StepFunction } from "../src/index.js";
import { fakeAgent, tokens } from "./support/fake-executor.js";
import { Gate } from "./support/gate.js";
import { eventsOf, namesOf, pipeline, step } from "./support/pipelines.js";

/** Ends with its run. */
const stuck =
  (begun?: Gate): StepFunction =>
  (_input, { signal }) => {
    begun?.pass();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };

describe("a cancel that meets the start of its run", () => {
  it.each([0, 1, 3, 5, 10, 20, 40])("keeps what has begun, after %i microtasks", async (count) => {
    let calls = 0;
    const writes: StepFunction = (_input, { sessionState }) => {
      calls++;
      sessionState["written"] = calls;
      return "written";
    };
    const flow = pipeline([step("a", { executor: writes }), step("b", { executor: stuck() })], { storeEvents: true });
    const run = flow.run("in", { streamEvents: true, sessionId: "s" });
    for (let n = 0; n < count; n++) await Promise.resolve();

    const output = await run.cancel();

    const names = namesOf(output.events);
    expect(names).toEqual(namesOf(await eventsOf(run)));
    expect(names.includes("WorkflowStarted")).toBe(output.stepResults.length > 0 || names.length > 2);
    expect(output.sessionState).toEqual(calls === 0 ? {} : { written: 1 });
    expect(output.stepResults.some(({ stepName }) => stepName === "a")).toBe(calls === 1);
    expect(await flow.getSessionState("s").catch(() => ({}))).toEqual(output.sessionState);
  });
});

describe("a cancel while a nested pipeline is at work", () => {
  it.each([2, 4, 5, 6, 7, 8, 10, 12, 15, 20])("streams the events that are kept, after %i turns", async (count) => {
    const busy: StepFunction = async (_input, { emit }) => {
      for (let n = 0; n < 6; n++) {
        emit("Progress", { n });
        await (n % 2 === 0 ? Promise.resolve() : setImmediate());
      }
    };
    const both = new Parallel("both", step("left"), new Step({ name: "right", executor: fakeAgent("agent") }));
    const inner = pipeline([step("first"), step("busy", { executor: busy }), both], { name: "Inner" });
    const flow = pipeline([step("a"), inner, step("z")], { storeEvents: true });
    const run = flow.run("in", { streamEvents: true });
    const streamed = eventsOf(run);
    for (let n = 0; n < count; n++) await setImmediate();

    const output = await run.cancel();

    expect(namesOf(output.events)).toEqual(namesOf(await streamed));
  });
});

it("a branch that was cancelled is not called failed", async () => {
  const begun = new Gate();
  const fails = step("fails", {
    onError: "skip",
    executor: () => {
      throw new Error("no");
    },
  });
  const flow = pipeline([new Parallel("both", step("done"), fails, step("waits", { executor: stuck(begun) }))]);
  const run = flow.run("in");
  await begun.passed;
  await expect.poll(async () => (await run.look()).stepResults[0]?.steps.length).toBe(2);

  const [both] = (await run.cancel()).stepResults;

  expect(both?.content).toBe(
    "## done\n\nin done\n\n## fails (failed)\n\nno\n\n## waits (cancelled)\n\nCancelled during execution",
  );
});

describe("an agent that does not stop", () => {
  /** Has used tokens, and then waits for a tool that hears no signal. */
  const deaf = (begun: Gate) =>
    new Step({
      name: "deaf",
      timeout: "300ms",
      maxRetries: 0,
      onError: "skip",
      executor: fakeAgent("agent", ({ report }) => {
        report?.(tokens(4));
        report?.(tokens(7));
        begun.pass();
        return new Promise(() => {});
      }),
    });

  it("counts with what it has reported when its time is up", async () => {
    const output = await pipeline([deaf(new Gate())]).run("in");

    expect(output.metrics.steps["deaf"]?.metrics).toMatchObject({ totalTokens: 7 });
    expect(output.stepResults[0]?.metrics).toMatchObject({ totalTokens: 7 });
  });

  it("counts with what it has reported when its run is cancelled, or fails beside it", async () => {
    const begun = new Gate();
    const cancelled = pipeline([deaf(begun)]).run("in");
    await begun.passed;
    const other = new Gate();
    const bad = step("bad", { executor: () => other.passed.then(() => Promise.reject(new Error("no"))) });
    const failed = pipeline([new Parallel("both", deaf(other), bad)]).run("in");

    for (const output of await Promise.all([cancelled.cancel(), failed.output()]))
      expect(output.metrics.steps["deaf"]?.metrics).toMatchObject({ totalTokens: 7 });
  });
});
