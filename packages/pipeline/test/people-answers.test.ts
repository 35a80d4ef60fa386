/** What people may say to a run that waits: good answers, bad ones, late ones, none. */
import { createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type HumanReview,
  Loop,
  Parallel,
  type Pipeline,
  type PipelineRunOutput,
  Router,
  Step,
  type StepFunction,
  type StepRequirement,
  Steps,
} from "../src/index.js";
import { fakeAgent, pausingAgent, toolCall } from "./support/fake-executor.js";
import { answerAll, eventsOf, fails, namesOf, pipeline, step } from "./support/pipelines.js";

const humanReview = { requiresConfirmation: true };
const fields = [
  { name: "tone", type: "string", allowedValues: ["calm", "loud"] },
  { name: "words", type: "integer" },
] as const;
const asks = new Step({
  name: "asks",
  executor: (input) => input.humanInput?.userInput,
  humanReview: { requiresUserInput: true, userInputSchema: fields },
});

const only = ({ requirements }: PipelineRunOutput): StepRequirement => requirements[0] as StepRequirement;

describe("answers by the id of their question", () => {
  it("are not taken from another user, where the caller says who they are of", async () => {
    const asked = pipeline([step("a", { humanReview })]);
    const paused = await asked.run("in", { userId: "ada" });
    const { requirementId } = only(paused);
    const answers = [{ requirementId, decision: { decision: "confirm" as const } }];

    await expect(asked.continueRun(paused.runId, { answers, userId: "bob" })).rejects.toMatchObject({
      code: "SESSION_FOREIGN",
      details: { runId: paused.runId, userId: "bob" },
    });
    expect(await asked.getRun(paused.runId)).toMatchObject({ status: "PAUSED" });
    expect(await asked.continueRun(paused.runId, { answers, userId: "ada" })).toMatchObject({ status: "COMPLETED" });
  });

  it("let a run go on that is known by its id only", async () => {
    const asked = pipeline([asks, step("b", { humanReview })]);
    const paused = await asked.run("in");
    const data = JSON.parse(JSON.stringify(paused.requirements)) as {
      readonly requirementId: string;
      readonly kind: string;
    }[];
    const values = { tone: "calm", words: 3 };
    const next = await asked.continueRun(paused.runId, {
      answers: [{ requirementId: data[0]?.requirementId as string, decision: { decision: "confirm", values } }],
    });

    expect(data).toMatchObject([{ kind: "userInput", stepName: "asks", runId: paused.runId, fields }]);
    expect(next).toMatchObject({ status: "PAUSED", content: values });
    const done = await asked.continueRun(next.runId, {
      answers: [{ requirementId: only(next).requirementId, decision: { decision: "reject" } }],
    });
    expect(done).toMatchObject({ status: "COMPLETED", content: values });
  });

  it("are refused with all that is wrong with all of them, and none is told", async () => {
    const asked = pipeline([new Parallel("both", asks, step("b", { humanReview }), step("c", { humanReview }))]);
    const paused = await asked.run("in");
    const id = (name: string): string =>
      paused.requirements.find(({ stepName }) => stepName === name)?.requirementId as string;
    const run = asked.continueRun(paused.runId, {
      answers: [
        { requirementId: id("c"), decision: { decision: "confirm" } },
        {
          requirementId: id("asks"),
          decision: { decision: "confirm", values: { tone: "angry", words: 1.5, color: 1 } },
        },
        { requirementId: id("b"), decision: { decision: "perhaps" } as never },
      ],
    });

    await expect(run).rejects.toMatchObject({
      code: "REQUIREMENT_INVALID",
      details: {
        problems: [
          expect.stringContaining("tone"),
          expect.stringContaining("words"),
          expect.stringContaining("color"),
          expect.stringContaining("perhaps"),
        ],
      },
    });
    expect((await asked.getRun(paused.runId)).requirements).toHaveLength(3);
  });

  it("tell nothing when one is for a question that nobody asks", async () => {
    const asked = pipeline([step("a", { humanReview })]);
    const paused = await asked.run("in");
    const decision = { decision: "confirm" } as const;
    const run = asked.continueRun(paused.runId, {
      answers: [
        { requirementId: only(paused).requirementId, decision },
        { requirementId: "nobody", decision },
      ],
    });

    await expect(run).rejects.toMatchObject({ code: "PROMPT_CLOSED", details: { requirementId: "nobody" } });
    expect((await asked.getRun(paused.runId)).requirements).toHaveLength(1);
  });
});

describe("continueRun", () => {
  it("refuses a run that is not paused, or where nothing was answered", async () => {
    const asked = pipeline([step("a", { humanReview })]);
    const paused = await asked.run("in");
    const answers = [{ requirementId: only(paused).requirementId, decision: { decision: "confirm" } }] as const;

    expect(() => asked.continueRun(paused)).toThrow(expect.objectContaining({ code: "REQUIREMENT_INVALID" }));
    only(paused).confirm();
    const done = await asked.continueRun(paused);
    expect(() => asked.continueRun(done)).toThrow(
      expect.objectContaining({
        code: "RUN_NOT_PAUSED",
        message: expect.stringContaining("it is COMPLETED, not PAUSED"),
      }),
    );
    await expect(asked.continueRun(done.runId, { answers })).rejects.toMatchObject({ code: "RUN_NOT_PAUSED" });
    await expect(asked.continueRun("unknown", { answers })).rejects.toMatchObject({ code: "RUN_UNKNOWN" });
  });

  it("refuses a second answer, in the same way in every place", async () => {
    const asked = pipeline([step("a", { humanReview }), step("b", { humanReview })]);
    const paused = await asked.run("in");
    only(paused).confirm();
    const next = await asked.continueRun(paused);

    await expect(asked.continueRun(paused)).rejects.toMatchObject({ code: "PROMPT_CLOSED" });
    await expect(asked.handle(paused.runId).answer(only(paused))).rejects.toMatchObject({ code: "PROMPT_CLOSED" });
    expect(next.requirements).toMatchObject([{ stepName: "b" }]);
    const both = [asked.handle(next.runId).answer(confirmed(next)), asked.handle(next.runId).answer(confirmed(next))];
    const told = await Promise.allSettled(both);
    expect(told.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await asked.handle(next.runId)).toMatchObject({ status: "COMPLETED", content: "in a b" });
  });

  it("takes the answers to two branches one by one", async () => {
    const asked = pipeline([new Parallel("both", step("a", { humanReview }), step("b", { humanReview })), step("c")]);
    const paused = await asked.run("in");
    const [first, second] = paused.requirements as [StepRequirement, StepRequirement];
    second.confirm();
    const half = await asked.continueRun(paused);
    const left = half.requirements.map(({ requirementId }) => requirementId);
    only(half).reject();
    const done = await asked.continueRun(half);

    expect(half).toMatchObject({ status: "PAUSED", requirements: [{ stepName: "a" }], answered: [{ stepName: "b" }] });
    expect(left).toEqual([first.requirementId]);
    expect(done.stepResults[0]?.steps.map(({ skipped }) => skipped)).toEqual([true, false]);
    expect(done.content).toBe("## b\n\nin b c");
  });
});

function confirmed(paused: PipelineRunOutput) {
  return { requirementId: only(paused).requirementId, decision: { decision: "confirm" } };
}

describe("no answer in time", () => {
  const late = (review: HumanReview) =>
    pipeline([
      step("a"),
      step("b", { humanReview: { requiresConfirmation: true, timeout: 40, ...review } }),
      step("c"),
    ]);

  /** The pause, and what becomes of the run without anybody. */
  async function unanswered(asked: Pipeline): Promise<readonly [PipelineRunOutput, PipelineRunOutput]> {
    const run = asked.run("in");
    const paused = await run;
    let output = await run.output();
    while (output.status === "PAUSED")
      output = await new Promise((resolve) => setTimeout(() => resolve(run.output()), 10));
    return [paused, output];
  }

  it("ends the run, skips the step, or lets it run", async () => {
    const [paused, cancelled] = await unanswered(late({}));
    const [, skipped] = await unanswered(late({ onTimeout: "skip" }));
    const [, approved] = await unanswered(late({ onTimeout: "approve" }));

    expect(only(paused).data).toMatchObject({ onTimeout: "cancel" });
    expect((only(paused).data.timeoutAtMs as number) - only(paused).data.askedAtMs).toBe(40);
    expect(cancelled).toMatchObject({
      status: "CANCELLED",
      content: "Pipeline cancelled: Step 'b' was not answered in time",
      answered: [{ stepName: "b", decision: "timeout" }],
    });
    expect(skipped).toMatchObject({ status: "COMPLETED", content: "in a c" });
    expect(approved).toMatchObject({ status: "COMPLETED", content: "in a b c" });
  });

  it("consents to an output and to tools, but gives no fields and no route", async () => {
    const timeout = { timeout: 40, onTimeout: "approve" } as const;
    const review = pipeline([step("a", { humanReview: { ...timeout, requiresOutputReview: true } })]);
    const tools = pipeline([new Step({ name: "agent", executor: pausingAgent("agent"), humanReview: timeout })]);
    const route = pipeline([
      new Router({ name: "r", choices: [step("x")], humanReview: { ...timeout, requiresUserInput: true } }),
    ]);
    const form = pipeline([
      new Step({
        name: "form",
        executor: () => "never",
        humanReview: { ...timeout, requiresUserInput: true, userInputSchema: fields },
      }),
    ]);

    expect((await unanswered(review))[1]).toMatchObject({ status: "COMPLETED", content: "in a" });
    expect((await unanswered(tools))[1].content).toMatchObject({ answers: [{ approved: true }] });
    for (const asked of [route, form])
      expect((await unanswered(asked))[1]).toMatchObject({
        status: "CANCELLED",
        content: expect.stringContaining("nobody else can say what it needs"),
      });
  });

  it("is measured from the question on, whatever was said in between", async () => {
    const asked = pipeline([
      step("a", { humanReview: { requiresConfirmation: true, timeout: 300, onTimeout: "approve" } }),
    ]);
    const run = asked.run("in");
    const first = only(await run);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await run.answer({ requirementId: first.requirementId, decision: { decision: "nonsense" } });
    let output = await run.output();
    while (output.status === "PAUSED")
      output = await new Promise((resolve) => setTimeout(() => resolve(run.output()), 10));

    expect(output.status).toBe("COMPLETED");
    expect((output.answered[0]?.answeredAtMs as number) - first.data.askedAtMs).toBeLessThan(420);
  });
});

describe("anything posted to the workflow itself", () => {
  const kinds: Record<string, () => Parameters<typeof pipeline>[0]> = {
    confirmation: () => [step("a", { humanReview })],
    userInput: () => [asks],
    route: () => [new Router({ name: "r", choices: [step("x"), step("y")], humanReview: { requiresUserInput: true } })],
    outputReview: () => [step("a", { humanReview: { requiresOutputReview: true } })],
    iterationReview: () => [
      new Loop({ name: "l", steps: [step("x")], humanReview: { requiresIterationReview: true } }),
    ],
    executor: () => [pausingAgent("agent")],
    error: () => [step("bad", { executor: fails, onError: "pause" })],
  };
  const nobodyMeans: readonly unknown[] = [
    undefined,
    null,
    "confirm",
    ["confirm"],
    {},
    { decision: null },
    { decision: ["confirm"] },
    { decision: "timeout" },
    { decision: "constructor" },
    { decision: "reject", feedback: { html: true } },
  ];
  const bad: Record<string, readonly unknown[]> = {
    userInput: [{ decision: "confirm" }, { decision: "confirm", values: { tone: "calm", words: "3" } }],
    route: [
      { decision: "confirm", choices: ["x", "y"] },
      { decision: "confirm", choices: ["z"] },
      { decision: "confirm", choices: "x" },
    ],
    executor: [
      { decision: "confirm" },
      { decision: "confirm", tools: [{ toolCallId: "agent call 1" }] },
      { decision: "confirm", tools: [{ toolCallId: "another", approved: true, note: null }] },
      {
        decision: "confirm",
        tools: [true, false].map((approved) => ({ toolCallId: "agent call 1", approved, note: null })),
      },
    ],
    error: [{ decision: "confirm" }],
  };

  it.each(Object.keys(kinds))("is asked again with what is wrong: %s", async (kind) => {
    const store = memoryStore();
    const asked = pipeline((kinds[kind] as () => Parameters<typeof pipeline>[0])());
    const runtime = createRuntime({ workflows: { asked: asked.workflow }, store });
    onTestFinished(() => runtime.stop());
    const handle = runtime.run("asked", asked.workflowInput("in") as never);
    const posts = [...nobodyMeans, ...(bad[kind] ?? [])];
    for (const decision of posts) {
      const { promptId, problems } = promptOf(await handle.idle());
      expect(await handle.answer(promptId, { decision })).toMatchObject({ status: "accepted" });
      const again = promptOf(await handle.idle());

      expect(again.requirement.kind).toBe(kind);
      expect(again.promptId).not.toBe(promptId);
      expect(again.problems.length, JSON.stringify(decision)).toBeGreaterThan(0);
      expect(problems).toBeDefined();
    }
    const { promptId } = promptOf(await handle.idle());
    await handle.answer(promptId, { decision: { decision: kind === "error" ? "skip" : "reject" } });

    expect((await handle) as PipelineRunOutput).toMatchObject({ status: "COMPLETED", answered: [{ kind }] });
  });
});

interface Asked {
  readonly promptId: string;
  readonly problems: readonly string[];
  readonly requirement: { readonly kind: string };
}

function promptOf(outcome: object): Asked {
  const { prompts } = outcome as { readonly prompts: readonly { readonly promptId: string; readonly event: object }[] };
  const [prompt] = prompts;
  return { promptId: prompt?.promptId, ...(prompt?.event as object) } as Asked;
}

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
    const both = new Parallel({
      name: "both",
      onError: "skip",
      steps: [
        step("bad", { executor: () => new Promise((_resolve, reject) => setTimeout(reject, 20, new Error("no"))) }),
        new Steps({ name: "group", steps: [step("guarded", { humanReview }), step("never")] }),
      ],
    });
    let last = 0;
    const asked = pipeline([both, step("c", { humanReview, executor: () => ++last })]);
    const run = asked.run("in", { streamEvents: true });
    const told = (await eventsOf(run)).filter(({ event }) => event === "StepPaused");
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

  it("is not cancelled because nobody has answered in time in a branch that was given up", async () => {
    const bad = step("bad", { executor: () => new Promise((_, reject) => setTimeout(reject, 5, new Error("no"))) });
    const both = (review: object) =>
      new Parallel({
        name: "both",
        onError: "skip",
        steps: [bad, step("guarded", { humanReview: { ...humanReview, ...review } })],
      });
    const later = step("later", { executor: () => new Promise((resolve) => setTimeout(resolve, 80, "later")) });

    expect(await pipeline([both({ timeout: 30, onTimeout: "cancel" }), later]).run("in")).toMatchObject({
      status: "COMPLETED",
      content: "later",
    });
  });

  it("goes no further in branches of a Parallel that was given up", async () => {
    const ran: string[] = [];
    const takes = (name: string, ms: number) =>
      step(name, {
        executor: async () => {
          await new Promise((resolve) => setTimeout(resolve, ms));
          ran.push(name);
        },
      });
    const bad = step("bad", { executor: fails });
    const both = new Parallel({
      name: "both",
      onError: "skip",
      steps: [bad, new Steps({ name: "group", steps: [takes("slow", 30), takes("never", 0)] })],
    });

    await pipeline([both, takes("later", 90)]).run("in");

    expect(ran).toEqual(["slow", "later"]);
  });

  it("takes nothing from branches of an iteration before that was given up", async () => {
    let round = 0;
    const bad: StepFunction = () => {
      if (round === 1) throw new Error("no");
      return "good";
    };
    const works: StepFunction = async () => {
      const own = round;
      await new Promise((resolve) => setTimeout(resolve, own === 1 ? 40 : 90));
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
    const agent = fakeAgent("agent", ({ resume }) => {
      if (resume === undefined)
        return { status: "PAUSED", pause: { requirements: [toolCall("agent", ++calls)], state: { calls } } };
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
