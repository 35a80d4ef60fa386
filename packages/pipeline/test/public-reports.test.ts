/** What users of Agno's workflows have reported in public, as tests of pipelines. Each names its report. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  Router,
  Step,
  type StepFunction,
  Steps,
  stepOutput,
} from "../src/index.js";
import { fakeAgent } from "./support/fake-executor.js";
import { Gate } from "./support/gate.js";
import { answerAll, eventsOf, namesOf, pipeline, step } from "./support/pipelines.js";

const gives = (name: string, content: unknown) => step(name, { executor: () => content });
const previous: StepFunction = (input) => input.previousStepContent;

/** Waits until its run ends, and says so first. */
const waits =
  (begun: Gate): StepFunction =>
  (_input, { signal }) => {
    begun.pass();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };

it("agno#4196: agents at any depth have the session state", async () => {
  const agent = (name: string) =>
    fakeAgent(name, ({ sessionState }) => {
      (sessionState["seen"] as string[]).push(name);
      return {};
    });
  const flow = pipeline(
    [
      new Steps({ name: "first", steps: [agent("a"), agent("b")] }),
      new Parallel(
        "both",
        new Steps({ name: "left", steps: [agent("c")] }),
        new Steps({ name: "right", steps: [agent("d")] }),
      ),
      new Loop({ name: "loop", maxIterations: 1, steps: [new Condition({ evaluator: true, steps: [agent("e")] })] }),
      new Router({
        name: "router",
        choices: [step("no"), new Steps({ name: "yes", steps: [agent("f")] })],
        selector: () => "yes",
      }),
    ],
    { sessionState: { seen: [] } },
  );

  const { sessionState } = await flow.run("in", { sessionId: "s" });

  expect((sessionState["seen"] as string[]).toSorted()).toEqual(["a", "b", "c", "d", "e", "f"]);
  expect(await flow.getSessionState("s")).toEqual(sessionState);
});

it("agno#5634: the step after a Parallel gets what all branches have given", async () => {
  const { content } = await pipeline([
    new Parallel("both", gives("slow", sleep(10, "one")), gives("fast", "two")),
    step("after", { executor: previous }),
  ]).run("in");

  expect(content).toBe("## slow\n\none\n\n## fast\n\ntwo");
});

it("agno#6862: an iteration can have what the one before has given, and the next step has the last one", async () => {
  const counts = step("counts", { executor: (input) => Number(input.previousStepContent) + 10 });
  const loop = new Loop({ name: "loop", maxIterations: 3, forwardIterationOutput: true, steps: [counts] });

  const output = await pipeline([gives("first", 5), loop, step("after", { executor: previous })]).run("in");

  expect(output.content).toBe(35);
});

it("agno#7199: a condition that does not hold takes its other branch, in every run of the pipeline", async () => {
  const flow = pipeline([
    new Condition({ evaluator: () => false, steps: [gives("then", "then")], elseSteps: [gives("else", "else")] }),
  ]);

  expect([(await flow.run("in")).content, (await flow.run("in")).content]).toEqual(["else", "else"]);
});

it("agno#4742: a run that a step stops has the content of that step", async () => {
  const gate = step("gate", { executor: () => stepOutput({ content: "stopped here", stop: true }) });

  const output = await pipeline([gives("first", "earlier"), gate, step("never")]).run("in");

  expect(output).toMatchObject({ status: "COMPLETED", content: "stopped here" });
  expect(output.stepResults.map(({ stepName }) => stepName)).toEqual(["first", "gate"]);
});

it.each([
  ["a condition", (stops: Step) => new Condition({ evaluator: true, steps: [stops] })],
  ["a router", (stops: Step) => new Router({ name: "router", choices: [stops], selector: () => "stops" })],
  ["a loop", (stops: Step) => new Loop({ name: "loop", maxIterations: 3, steps: [stops] })],
  ["a Parallel", (stops: Step) => new Parallel("both", stops, gives("other", "other"))],
  ["a nested group", (stops: Step) => new Steps({ name: "a", steps: [new Steps({ name: "b", steps: [stops] })] })],
])("agno#5868: a step in %s can stop the pipeline", async (_name, around) => {
  const stops = step("stops", { executor: () => stepOutput({ content: "enough", stop: true }) });

  const output = await pipeline([around(stops), step("never")]).run("in");

  expect(output.stepResults).toHaveLength(1);
  expect(String(output.content)).toContain("enough");
});

it("agno#6039: a condition without a branch to take is nobody's previous step", async () => {
  const { content } = await pipeline([
    gives("first", "data"),
    new Condition({ name: "no", evaluator: false, steps: [step("skipped")] }),
    step("after", { executor: previous }),
  ]).run("in");

  expect(content).toBe("data");
});

it("agno#5440: a conversational pipeline shows the events of its steps", async () => {
  const speaks = step("speaks", {
    executor: async function* () {
      yield { event: "CustomEvent", records: 2 };
      yield "text";
    },
  });
  const agent = {
    kind: "pipeline-agent" as const,
    name: "front",
    addHistory: false,
    numHistoryRuns: null,
    decide: async () => ({
      runId: "decision",
      content: null,
      metrics: null,
      status: "COMPLETED" as const,
      error: null,
      query: "do it",
    }),
  };

  const names = namesOf(await eventsOf(pipeline([speaks], { agent }).run("in", { streamEvents: true })));

  expect(names).toEqual(expect.arrayContaining(["StepStarted speaks", "CustomEvent speaks", "StepCompleted speaks"]));
});

it("agno#4159: a failure in a group ends the run, and nothing after it runs", async () => {
  let calls = 0;
  const bad = step("bad", {
    executor: () => {
      calls++;
      throw new Error("broken");
    },
  });
  const after = step("after", { executor: () => calls++ });

  const output = await pipeline([new Steps({ name: "group", steps: [bad, after] }), after])
    .run("in")
    .output();

  expect(output).toMatchObject({ status: "ERROR", error: { stepName: "bad", message: "broken" } });
  expect(calls).toBe(1);
});

it("agno#7718: no policy takes a cancel for a failure, and what was said until then stays", async () => {
  const begun = new Gate();
  const speaks = step("speaks", {
    onError: "skip",
    maxRetries: 3,
    executor: async function* (_input, { signal }) {
      yield "half an ";
      begun.pass();
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  const flow = pipeline([speaks, step("never")]);
  const run = flow.run("in", { sessionId: "s" });
  await begun.passed;

  const output = await run.cancel();

  expect(output).toMatchObject({ status: "CANCELLED", stepResults: [{ content: "half an ", skipped: false }] });
  expect(output.stepResults).toHaveLength(1);
  expect((await flow.sessions.get("s"))?.runs).toMatchObject([{ status: "CANCELLED" }]);
});

it("agno#10390: the stream of loops side by side ends when their run is cancelled", async () => {
  const begun = [new Gate(), new Gate()] as const;
  const loop = (name: string, gate: Gate) =>
    new Loop({ name, maxIterations: 5, steps: [step(`${name} works`, { executor: waits(gate) })] });
  const flow = pipeline([new Parallel("both", loop("left", begun[0]), loop("right", begun[1]))]);
  const run = flow.run("in", { streamEvents: true });
  const told = eventsOf(run);
  await Promise.all(begun.map(({ passed }) => passed));

  await run.cancel("enough");

  expect(namesOf(await told).slice(-2)).toEqual(["WorkflowCancelled", "WorkflowCompleted"]);
});

it("agno#7227: each group that has to be confirmed asks, also behind one that was rejected", async () => {
  const humanReview = { requiresConfirmation: true, onReject: "skip" as const };
  const asked: string[] = [];
  const flow = pipeline([
    new Condition({ name: "first", evaluator: true, steps: [step("a")], humanReview }),
    new Loop({ name: "second", maxIterations: 1, steps: [step("b")], humanReview }),
    new Steps({ name: "third", steps: [step("c")], humanReview }),
    new Condition({ name: "fourth", evaluator: true, steps: [step("d")], humanReview }),
  ]);

  const output = await answerAll(flow, await flow.run("in"), (requirement) => {
    asked.push(requirement.stepName);
    if (requirement.stepName === "second") requirement.reject();
    else requirement.confirm();
  });

  expect(asked).toEqual(["first", "second", "third", "fourth"]);
  expect(output.content).toBe("in a c d");
});

it("agno#6116: a nested pipeline gets what the step before it has given", async () => {
  const inner = new Pipeline({
    name: "Inner",
    steps: [step("inside", { executor: (input) => `inner ${input.input}` })],
  });

  const output = await pipeline([gives("first", "data"), inner, step("after", { executor: previous })]).run("in");

  expect(output.content).toBe("inner data");
});

it("agno#7491: events of a nested pipeline name its own steps, and the step around it", async () => {
  const inner = new Pipeline({ name: "Inner", steps: [new Step({ name: "speaks", executor: fakeAgent("agent") })] });
  const events = await eventsOf(
    pipeline([step("a"), new Step({ name: "outer", executor: inner })]).run("in", { streamEvents: true }),
  );

  const inside = events.filter(({ nestedDepth }) => nestedDepth === 1);

  expect(inside.find(({ event }) => event === "StepStarted")).toMatchObject({
    stepName: "speaks",
    stepId: "0",
    parentStepId: "1",
  });
});

it("agno#5058: a generator ends with the first output that it gives", async () => {
  const twice = step("twice", {
    executor: async function* () {
      yield stepOutput({ content: "first" });
      yield stepOutput({ content: "second" });
    },
  });

  expect((await pipeline([twice]).run("in")).content).toBe("first");
});

it("agno#4929: functions of a Parallel, also the first step, share one session state", async () => {
  const adds = (name: string) =>
    step(name, { executor: (_input, { editState }) => editState((state) => void (state[name] = true)) });
  const flow = pipeline([new Parallel("both", adds("a"), adds("b"))], { sessionState: {} });

  expect((await flow.run("in")).sessionState).toEqual({ a: true, b: true });
});
