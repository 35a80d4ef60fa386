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
  type StepRequirement,
} from "../src/index.js";
import { pausingAgent } from "./support/fake-executor.js";
import { Gate } from "./support/gate.js";
import { fails, pipeline, step } from "./support/pipelines.js";
import { askedOf, stillTime } from "./support/still-time.js";

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

  it("are compared with allowed values as data: lists and objects, too", async () => {
    const sizes = { name: "sizes", type: "array", allowedValues: [[1, 2], [3]] } as const;
    const place = { name: "place", type: "object", allowedValues: [{ x: 1, y: [2] }] } as const;
    const picks = step("picks", { humanReview: { requiresUserInput: true, userInputSchema: [sizes, place] } });
    const asked = pipeline([picks]);
    const paused = await asked.run("in");

    expect(() => only(paused).setUserInput({ sizes: [1], place: { x: 1, y: [] } })).toThrow(
      '"sizes" is [1], not one of [1,2], [3]; "place" is {"x":1,"y":[]}, not one of {"x":1,"y":[2]}',
    );
    only(paused).setUserInput({ sizes: [1, 2], place: { y: [2], x: 1 } });
    expect(await asked.continueRun(paused)).toMatchObject({ status: "COMPLETED" });
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

    expect(() => asked.continueRun(paused)).toThrow(
      expect.objectContaining({
        code: "REQUIREMENT_INVALID",
        message: `The run "${paused.runId}" was given no answer. It asks for: confirmation of "a".`,
      }),
    );
    expect(() => asked.continueRun(paused.runId)).toThrow(
      expect.objectContaining({ message: `The run "${paused.runId}" was given no answer.` }),
    );
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

  it("takes none of the answers where one is for a question that nobody asks any more", async () => {
    const asked = pipeline([new Parallel("both", step("a", { humanReview }), step("b", { humanReview }))]);
    const paused = await asked.run("in");
    const [first, second] = paused.requirements as [StepRequirement, StepRequirement];
    first.confirm();
    await asked.continueRun(paused, { requirements: [first] });
    second.confirm();

    await expect(asked.continueRun(paused)).rejects.toMatchObject({ code: "PROMPT_CLOSED" });
    expect(await asked.getRun(paused.runId)).toMatchObject({ status: "PAUSED", requirements: [{ stepName: "b" }] });
    expect(await asked.continueRun(paused, { requirements: [second] })).toMatchObject({ status: "COMPLETED" });
  });

  it("says which answers count where one is too late while the run is at work", async () => {
    const [begun, goOn] = [new Gate(), new Gate()];
    const works = () => {
      begun.pass();
      return goOn.passed;
    };
    const asked = pipeline([
      new Parallel("both", step("a", { humanReview, executor: works }), step("b", { humanReview })),
    ]);
    const paused = await asked.run("in");
    const [first, second] = paused.requirements as [StepRequirement, StepRequirement];
    first.confirm();
    await asked.handle(paused.runId).answer(first);
    await begun.passed;
    second.confirm();

    await expect(asked.continueRun(paused)).rejects.toMatchObject({
      code: "PROMPT_CLOSED",
      message: expect.stringContaining(`The other answers count: ${second.requirementId}.`),
      details: { accepted: [second.requirementId] },
    });
    goOn.pass();
    expect(await asked.handle(paused.runId)).toMatchObject({ status: "COMPLETED", answered: [{}, {}] });
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

  /** What becomes of the run without anybody. */
  async function unanswered(asked: Pipeline): Promise<PipelineRunOutput> {
    const run = asked.run("in");
    let output = await run.output();
    while (output.status === "PAUSED")
      output = await new Promise((resolve) => setTimeout(() => resolve(run.output()), 10));
    return output;
  }

  it("ends the run, skips the step, or lets it run", async () => {
    const { data } = only(await late({ timeout: "1h" }).run("in"));
    const cancelled = await unanswered(late({}));
    const skipped = await unanswered(late({ onTimeout: "skip" }));
    const approved = await unanswered(late({ onTimeout: "approve" }));

    expect(data).toMatchObject({ onTimeout: "cancel" });
    expect((data.timeoutAtMs as number) - data.askedAtMs).toBe(3_600_000);
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

    expect(await unanswered(review)).toMatchObject({ status: "COMPLETED", content: "in a" });
    expect((await unanswered(tools)).content).toMatchObject({ answers: [{ approved: true }] });
    for (const asked of [route, form])
      expect(await unanswered(asked)).toMatchObject({
        status: "CANCELLED",
        content: expect.stringContaining("its questions need a person"),
      });
  });

  it("is measured from the question on, whatever was said in between", async () => {
    const { run, clock } = stillTime([
      step("a", { humanReview: { requiresConfirmation: true, timeout: "1h", onTimeout: "approve" } }),
    ]);
    const handle = run("in");
    const [first] = await askedOf(handle);
    const askedAtMs = clock.now();
    await clock.advance("40m");
    await handle.answer(first?.promptId as string, { decision: { decision: "nonsense" } });
    const [again] = await askedOf(handle);
    await clock.advance("19m");
    const late = await handle.idle();
    await clock.advance("1m");
    const output = await handle;

    expect(again?.["problems"]).not.toEqual([]);
    expect(late.status).toBe("waiting");
    expect(output.status).toBe("COMPLETED");
    expect((output.answered[0]?.answeredAtMs as number) - askedAtMs).toBe(3_600_000);
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
