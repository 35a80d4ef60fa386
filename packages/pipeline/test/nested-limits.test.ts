/** What ends nested pipelines from outside: the time of their step, a cancel, an input that does not fit. */
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Step, type StepFunction } from "../src/index.js";
import { fakeAgent } from "./support/fake-executor.js";
import { Gate } from "./support/gate.js";
import { namesOf, pipeline, step } from "./support/pipelines.js";
import { askedOf, stillTime } from "./support/still-time.js";

const nest = (name: string, steps: Parameters<typeof pipeline>[0], options = {}): Step =>
  new Step({ name, executor: pipeline(steps, { name }), ...options });

/** Changes the state in place, says so, and does not end by itself. */
const stuck =
  (begun: () => void): StepFunction =>
  async (_input, { sessionState, signal }) => {
    sessionState["begun"] = true;
    begun();
    await sleep(60_000, undefined, { signal });
    return "never";
  };

const tellState: StepFunction = (_input, { sessionState }) => JSON.stringify(sessionState);

describe("the timeout of a step", () => {
  it.each([
    { where: "itself", last: stuck, runs: ["agent"] },
    { where: "one in it", last: (begun: () => void) => nest("innermost", [stuck(begun)]), runs: ["agent", "inner"] },
  ])(
    "ends the nested pipeline that it runs, $where: what that has changed and taken counts",
    async ({ last, runs }) => {
      const begun = new Gate();
      const inner = nest("inner", [fakeAgent("agent"), last(begun.pass)], { timeout: "200ms", onError: "skip" });
      const { made: outer, run, clock } = stillTime([inner, tellState], { storeEvents: true });

      const handle = run("in", { sessionId: "s" });
      await begun.passed;
      await clock.advance("200ms");
      const output = await handle;

      expect(output.content).toBe('{"begun":true}');
      expect(output.stepResults[0]).toMatchObject({ success: false, skipped: true });
      expect(output.stepExecutorRuns.map(({ executorName }) => executorName)).toEqual(runs);
      expect(namesOf(output.events)).toContain("> StepCompleted agent");
      expect(output.metrics.steps["inner"]?.steps?.["agent"]?.metrics.totalTokens).toBe(10);
      expect(await outer.getSessionState("s")).toEqual({ begun: true });
    },
  );

  it("is STEP_TIMEOUT, and tried again where that is asked for", async () => {
    let attempts = 0;
    const inner = nest("inner", [stuck(() => attempts++)], { timeout: "50ms", maxRetries: 2 });
    const { run, clock } = stillTime([inner]);

    const handle = run("in");
    for (const attempt of [1, 2, 3]) {
      await expect.poll(() => attempts).toBe(attempt);
      await clock.advance("50ms");
    }
    const error = await handle.then(null, (thrown: unknown) => thrown);

    expect(attempts).toBe(3);
    expect(error).toMatchObject({ code: "PIPELINE_FAILED", cause: { code: "STEP_TIMEOUT" } });
  });

  it("does not count the time that people take", async () => {
    const asks = step("asks", { humanReview: { requiresConfirmation: true } });
    const { run, clock } = stillTime([nest("inner", [asks], { timeout: "1s" })]);
    const handle = run("in");
    const [question] = await askedOf(handle);
    await clock.advance("1h");

    await handle.answer(question?.promptId as string, { decision: { decision: "confirm" } });

    expect(await handle).toMatchObject({ status: "COMPLETED", content: "in asks" });
  });
});

it("a cancel while nested pipelines are at work keeps what they have stored, in the state and in what it took", async () => {
  const waits: StepFunction = async (_input, { editState, signal }) => {
    await editState((state) => {
      state["edited"] = true;
    });
    await sleep(60_000, undefined, { signal });
  };
  const inner = nest("inner", [fakeAgent("agent"), nest("innermost", [fakeAgent("deep"), waits])]);
  const outer = pipeline([fakeAgent("first"), inner], { storeEvents: true });
  const run = outer.run("in", { sessionId: "s" });
  while ((await run.look()).sessionState["edited"] !== true) await setImmediate();

  const output = await run.cancel("enough");

  expect(output).toMatchObject({ status: "CANCELLED", sessionState: { edited: true } });
  expect(output.metrics.steps["inner"]).toMatchObject({
    metrics: { totalTokens: 20 },
    executions: [{ success: false, executorType: "workflow" }],
    steps: {
      agent: { metrics: { totalTokens: 10 } },
      innermost: { steps: { deep: { metrics: { totalTokens: 10 } } } },
    },
  });
  expect(output.stepExecutorRuns.map(({ executorName }) => executorName).sort()).toEqual(["agent", "deep", "first"]);
  expect(namesOf(output.events).slice(-2)).toEqual(["WorkflowCancelled", "WorkflowCompleted"]);
  expect(namesOf(output.events)).toEqual(expect.arrayContaining(["> StepCompleted agent", ">> StepCompleted deep"]));
  expect(await outer.getSessionState("s")).toEqual({ edited: true });
  expect((await outer.getSessionMetrics("s"))?.totalTokens).toBe(30);
});

it("an input that does not fit the schema of a nested pipeline is told as what it is", async () => {
  const inner = pipeline([tellState], { name: "Inner", inputSchema: z.object({ n: z.number() }) } as object);

  const { error } = await pipeline([() => ({ n: "one" }), new Step({ name: "nested", executor: inner })])
    .run("in")
    .output();

  expect(error).toMatchObject({ code: "INPUT_INVALID", stepName: "nested" });
});
