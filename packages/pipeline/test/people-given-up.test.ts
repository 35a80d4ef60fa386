/** Groups that were given up while people were asked, or while branches were at work, and groups that begin anew. */
import { describe, expect, it } from "vitest";
import {
  Loop,
  Parallel,
  Pipeline,
  type PipelineEvent,
  type PipelineRunOutput,
  Step,
  type StepFunction,
  type StepRequirement,
  Steps,
} from "../src/index.js";
import { askAbout, fakeAgent, toolCall } from "./support/fake-executor.js";
import { Gate } from "./support/gate.js";
import { answerAll, namesOf, pipeline, step } from "./support/pipelines.js";
import { stillTime } from "./support/still-time.js";

const humanReview = { requiresConfirmation: true };

/** Time enough for what is under way, and nothing depends on it: whoever is later proves less, and fails nothing. */
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

const only = ({ requirements }: PipelineRunOutput): StepRequirement => requirements[0] as StepRequirement;

/** Of an event of the pipeline, as it is in the stream of the runtime. */
const nameOf = (event: object): unknown => (event as { readonly name?: unknown }).name;

describe("a group that begins anew or is given up", () => {
  it("asks again in each iteration of a loop, also where the one before was given up", async () => {
    let runs = 0;
    const guarded = step("guarded", {
      humanReview,
      executor: () => {
        runs++;
        throw new Error("no");
      },
    });
    const asked = pipeline([
      new Loop({
        name: "loop",
        maxIterations: 3,
        steps: [new Steps({ name: "group", onError: "skip", steps: [guarded] })],
      }),
    ]);
    const questions: string[] = [];
    const output = await answerAll(asked, await asked.run("in"), (requirement) => {
      questions.push(requirement.stepName);
      requirement.confirm();
    });

    expect(output.status).toBe("COMPLETED");
    expect(questions).toEqual(["guarded", "guarded", "guarded"]);
    expect(runs).toBe(3);
  });

  it("counts the refusals of a loop anew in each iteration of the loop around it", async () => {
    const inner = new Loop({
      name: "inner",
      maxIterations: 3,
      steps: [step("x")],
      humanReview: { requiresIterationReview: true, onReject: "retry", maxRetries: 1 },
    });
    const asked = pipeline([new Loop({ name: "outer", maxIterations: 2, steps: [inner] })]);
    let count = 0;
    const output = await answerAll(asked, await asked.run("in"), (requirement) =>
      ++count % 2 === 1 ? requirement.reject() : requirement.confirm(),
    );

    expect(count).toBe(4);
    expect(output.status).toBe("COMPLETED");
  });

  it("asks nobody any more about branches of a Parallel that was given up", async () => {
    const isAsked = new Gate();
    const both = new Parallel({
      name: "both",
      onError: "skip",
      steps: [
        step("bad", { executor: () => isAsked.passed.then(soon).then(() => Promise.reject(new Error("no"))) }),
        new Steps({ name: "group", steps: [step("guarded", { humanReview }), step("never")] }),
      ],
    });
    let last = 0;
    const asked = pipeline([both, step("c", { humanReview, executor: () => ++last })]);
    const run = asked.run("in", { streamEvents: true });
    const told: PipelineEvent[] = [];
    for await (const event of run.events()) {
      if (event.event !== "StepPaused") continue;
      told.push(event);
      isAsked.pass();
    }
    const paused = await run;

    expect(namesOf(told)).toEqual(["StepPaused guarded", "StepPaused c"]);
    expect(paused.requirements.map(({ stepName }) => stepName)).toEqual(["c"]);
    only(paused).confirm();
    const output = await asked.continueRun(paused);

    expect(output).toMatchObject({ status: "COMPLETED", content: 1 });
    expect(output.stepResults.map(({ stepName, success }) => `${stepName} ${success}`)).toEqual([
      "both false",
      "c true",
    ]);
    expect(Object.keys(output.metrics.steps)).not.toContain("never");
    expect(last).toBe(1);
  });

  it("asks nobody any more about pipelines nested in a branch that was given up", async () => {
    const isAsked = new Gate();
    const innermost = new Pipeline({ name: "Innermost", steps: [step("deep", { humanReview })] });
    const inner = new Pipeline({ name: "Inner", steps: [new Step({ name: "innermost", executor: innermost })] });
    const both = new Parallel({
      name: "both",
      onError: "skip",
      steps: [
        step("bad", { executor: () => isAsked.passed.then(soon).then(() => Promise.reject(new Error("no"))) }),
        new Step({ name: "inner", executor: inner }),
      ],
    });
    const asked = pipeline([both, step("after", { humanReview })]);
    const run = asked.run("in", { streamEvents: true });
    for await (const { event } of run.events()) if (event === "StepPaused") isAsked.pass();
    const paused = await run;

    expect(paused.requirements.map(({ stepName }) => stepName)).toEqual(["after"]);
    only(paused).confirm();
    expect(await asked.continueRun(paused)).toMatchObject({ status: "COMPLETED", requirements: [] });
  });

  it("is not cancelled because nobody has answered in time in a branch that was given up", async () => {
    const [isAsked, begun, overdue] = [new Gate(), new Gate(), new Gate()];
    const bad = step("bad", { executor: () => isAsked.passed.then(soon).then(() => Promise.reject(new Error("no"))) });
    const guarded = step("guarded", { humanReview: { ...humanReview, timeout: "1h", onTimeout: "cancel" } });
    const later = step("later", {
      executor: async () => {
        begun.pass();
        await overdue.passed;
        return "later";
      },
    });
    const both = new Parallel({ name: "both", onError: "skip", steps: [bad, guarded] });
    const { run, clock } = stillTime([both, later]);
    const handle = run("in", { streamEvents: true });
    for await (const { event } of handle.streamEvents()) if (nameOf(event) === "StepPaused") break;
    isAsked.pass();
    await begun.passed;
    await clock.advance("2h");
    overdue.pass();

    expect(await handle).toMatchObject({ status: "COMPLETED", content: "later" });
  });

  const nestedIn = (steps: Step[]): Step =>
    new Step({ name: "group", executor: new Pipeline({ name: "Inner", steps }) });

  it.each([
    ["a group", (steps: Step[]) => new Steps({ name: "group", steps })],
    ["a nested pipeline", nestedIn],
    ["a pipeline nested twice", (steps: Step[]) => nestedIn([nestedIn(steps)])],
  ])("goes no further in branches of a Parallel that was given up: %s", async (_what, group) => {
    const ran: string[] = [];
    const [isAtWork, begun, ended] = [new Gate(), new Gate(), new Gate()];
    const does = (name: string, work: () => Promise<void>) =>
      step(name, { executor: () => work().then(() => void ran.push(name)) });
    const works = fakeAgent("slow", async () => {
      isAtWork.pass();
      await begun.passed;
      ran.push("slow");
      ended.pass();
      return {};
    });
    const slow = new Step({ name: "slow", executor: works });
    const never = does("never", async () => {});
    const later = does("later", async () => {
      begun.pass();
      await ended.passed;
      await soon();
    });
    const bad = step("bad", { executor: () => isAtWork.passed.then(() => Promise.reject(new Error("no"))) });
    const both = new Parallel({
      name: "both",
      onError: "skip",
      steps: [bad, group([slow, never])],
    });

    const { metrics } = await pipeline([both, later]).run("in");

    expect(ran).toEqual(["slow", "later"]);
    expect(Object.values(metrics.steps).reduce((sum, one) => sum + one.metrics.totalTokens, 0)).toBe(10);
  });

  it("takes nothing from branches of an iteration before that was given up", async () => {
    let round = 0;
    const bad: StepFunction = () => {
      if (round === 1) throw new Error("no");
      return "good";
    };
    const [begun, ended] = [new Gate(), new Gate()];
    const works: StepFunction = async () => {
      const own = round;
      if (own === 1) {
        await begun.passed;
        ended.pass();
      } else {
        begun.pass();
        await ended.passed.then(soon);
      }
      return `round ${own}`;
    };
    const both = new Parallel({
      name: "both",
      onError: "skip",
      steps: [
        step("bad", { executor: bad }),
        new Steps({ name: "group", steps: [step("works", { executor: works }), step("then")] }),
      ],
    });
    const loop = new Loop({
      name: "loop",
      maxIterations: 2,
      steps: [step("begin", { executor: () => ++round }), both],
    });
    const output = await pipeline([loop]).run("in");
    const [, second] = output.stepResults[0]?.iterations ?? [];

    expect(second?.[1]?.steps[1]?.steps.map(({ stepName, content }) => [stepName, content])).toEqual([
      ["works", "round 2"],
      ["then", "round 2 then"],
    ]);
    expect(output.metrics.steps["works"]?.executions).toHaveLength(2);
    expect(output.metrics.steps["then"]?.executions).toHaveLength(1);
  });

  it("has an agent that failed after its pause begin anew", async () => {
    let calls = 0;
    const agent = fakeAgent("agent", async ({ ctx }) => {
      await askAbout(ctx, toolCall("agent", await ctx.run("count", () => ++calls)));
      if (calls === 1) return { status: "ERROR", error: "no" };
      return { content: `call ${calls}` };
    });
    const asked = pipeline([new Step({ name: "agent", executor: agent, maxRetries: 0, onError: "pause" })]);
    const kinds: string[] = [];
    const output = await answerAll(asked, await asked.run("in"), (requirement) => {
      kinds.push(requirement.kind);
      requirement.kind === "error" ? requirement.retry() : requirement.confirm();
    });

    expect(kinds).toEqual(["executor", "error", "executor"]);
    expect(output).toMatchObject({ status: "COMPLETED", content: "call 2" });
  });
});
