/** In which order a run tells what happens, and who hears of it. */
import { describe, expect, it } from "vitest";
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  type PipelineEvent,
  Router,
  Step,
  type StepFunction,
  Steps,
  stepOutput,
} from "../src/index.js";
import { checkGrammar } from "./support/event-grammar.js";
import { fakeAgent, pausingAgent } from "./support/fake-executor.js";
import { Gate } from "./support/gate.js";
import { eventsOf, fails, namesOf, pipeline, step } from "./support/pipelines.js";
import { Random } from "./support/random.js";
import { randomPipeline } from "./support/random-tree.js";

const everything = { streamEvents: true };
const seeds = Array.from({ length: 60 }, (_, index) => index + 1);

describe("the grammar of events", () => {
  it.each(seeds)("holds for a random tree, seed %i", async (seed) => {
    const { steps, nodes } = randomPipeline(new Random(seed));

    const events = await eventsOf(pipeline(steps).run("in", everything));

    checkGrammar(events, { pipelineId: "tested", nodes });
  });

  it("is refused where any event is missing, comes twice, or too late", async () => {
    const { steps, nodes } = randomPipeline(new Random(8));
    const events = await eventsOf(pipeline(steps).run("in", everything));
    const free = new Set(["Progress", "RunStarted", "RunContent", "RunCompleted"]);
    const told = [...events.keys()].filter((at) => !free.has(events[at]?.event as string));
    const check = (changed: typeof events) => () => checkGrammar(changed, { pipelineId: "tested", nodes });

    expect(told.length).toBeGreaterThan(20);
    for (const at of told) {
      expect(check(events.toSpliced(at, 1)), `without ${at}`).toThrow();
      expect(check(events.toSpliced(at, 0, events[at] as never)), `twice ${at}`).toThrow();
    }
    for (const at of told.slice(0, -1))
      expect(check([...events.toSpliced(at, 1), events[at] as never]), `late ${at}`).toThrow();
  });

  it("has all kinds of groups, nested two deep at least, in these seeds", () => {
    const kinds = new Set<string>();
    const visit = (node: ReturnType<typeof randomPipeline>["nodes"][number]): void => {
      if (node.path.length > 2) kinds.add(node.kind);
      node.children.forEach(visit);
    };

    for (const seed of seeds) randomPipeline(new Random(seed)).nodes.forEach(visit);

    expect([...kinds].sort()).toEqual(
      ["agent", "condition", "function", "loop", "nested", "parallel", "router", "steps"].sort(),
    );
  });
});

describe("who hears what", () => {
  const agent = fakeAgent("agent", ({ stream }) => {
    for (const event of ["RunStarted", "RunContent", "ToolCallStarted", "RunCompleted"])
      stream?.({ event, content: "text" } as never);
    return {};
  });
  const says: StepFunction = async function* (_input, { emit }) {
    emit("Progress");
    yield "one ";
    yield "two";
  };
  const steps = () => [
    new Steps({ name: "group", steps: [new Step({ name: "agent", executor: agent })] }),
    new Step({ name: "says", executor: says }),
    new Step({
      name: "nested",
      executor: new Pipeline({ name: "Inner", steps: [new Step({ name: "i", executor: agent })] }),
    }),
  ];
  const heard = async (options: object) => namesOf(await eventsOf(pipeline(steps()).run("in", options)));

  it("without options: the run, what agents and functions say, and what functions give", async () => {
    expect(await heard({})).toEqual([
      "WorkflowStarted",
      "RunContent agent",
      "Progress says",
      "RunContent says",
      "RunContent says",
      "StepOutput says",
      "> WorkflowStarted",
      "> RunContent i",
      "> WorkflowCompleted",
      "WorkflowCompleted",
    ]);
  });

  it("with streamEvents: everything", async () => {
    expect(await heard({ streamEvents: true })).toEqual([
      "WorkflowStarted",
      "StepsExecutionStarted group",
      "StepStarted agent",
      ...["RunStarted", "RunContent", "ToolCallStarted", "RunCompleted"].map((name) => `${name} agent`),
      "StepCompleted agent",
      "StepsExecutionCompleted group",
      "StepStarted says",
      "Progress says",
      "RunContent says",
      "RunContent says",
      "StepOutput says",
      "StepCompleted says",
      "StepStarted nested",
      "> WorkflowStarted",
      "> StepStarted i",
      ...["RunStarted", "RunContent", "ToolCallStarted", "RunCompleted"].map((name) => `> ${name} i`),
      "> StepCompleted i",
      "> WorkflowCompleted",
      "StepCompleted nested",
      "WorkflowCompleted",
    ]);
  });

  it("with streamExecutorEvents: false, nothing of agents, generators and nested pipelines, not even their end", async () => {
    const quiet = { streamExecutorEvents: false };

    expect(await heard(quiet)).toEqual(["WorkflowStarted", "Progress says", "StepOutput says", "WorkflowCompleted"]);
    expect(await heard({ ...quiet, streamEvents: true })).toEqual([
      "WorkflowStarted",
      "StepsExecutionStarted group",
      "StepStarted agent",
      "StepCompleted agent",
      "StepsExecutionCompleted group",
      "StepStarted says",
      "Progress says",
      "StepOutput says",
      "StepCompleted says",
      "StepStarted nested",
      "StepCompleted nested",
      "WorkflowCompleted",
    ]);
  });

  it("a run may switch off what its pipeline has switched on", async () => {
    const loud = pipeline(steps(), { streamEvents: true, streamExecutorEvents: false });

    expect(namesOf(await eventsOf(loud.run("in")))).toContain("StepStarted agent");
    expect(namesOf(await eventsOf(loud.run("in", { streamEvents: false })))).not.toContain("StepStarted agent");
    expect(namesOf(await eventsOf(loud.run("in", { streamExecutorEvents: true })))).toContain("ToolCallStarted agent");
  });

  it("questions of a nested pipeline are heard, whatever is switched off", async () => {
    const inner = new Pipeline({ name: "Inner", steps: [step("i", { humanReview: { requiresConfirmation: true } })] });
    const run = pipeline([inner]).run("in", { streamExecutorEvents: false });

    expect(namesOf(await eventsOf(run))).toEqual(["WorkflowStarted", "> StepPaused i", "WorkflowPaused"]);
  });

  it("events of agents keep their run, and say where they come from", async () => {
    const own = fakeAgent("own", ({ stream }) => {
      stream?.({ event: "RunContent", runId: "agent-run", sessionId: "elsewhere", content: "text" } as never);
      return {};
    });
    const run = pipeline([new Loop({ name: "loop", maxIterations: 1, steps: [own] })]).run("in", { sessionId: "s" });
    const content = (await eventsOf(run)).find(({ event }) => event === "RunContent");

    expect(content).toMatchObject({
      runId: "agent-run",
      pipelineRunId: run.runId,
      pipelineId: "tested",
      sessionId: "s",
      stepId: "0.0",
      stepName: "own",
      stepIndex: [0, 0],
      parentStepId: "0",
    });
  });
});

describe("a run that stops, fails, or waits", () => {
  it("shows the end of every group that an early stop is in, and nothing behind it", async () => {
    const stops = step("stops", { executor: () => stepOutput({ content: "enough", stop: true }) });
    const run = pipeline([
      new Loop({
        name: "loop",
        steps: [
          new Condition({
            name: "if",
            steps: [new Router({ name: "route", choices: [stops], selector: () => "stops" }), step("never")],
          }),
        ],
      }),
      step("never"),
    ]).run("in", everything);

    expect(namesOf(await eventsOf(run))).toEqual([
      "WorkflowStarted",
      "LoopExecutionStarted loop",
      "LoopIterationStarted loop",
      "ConditionExecutionStarted if",
      "RouterExecutionStarted route",
      "StepStarted stops",
      "StepOutput stops",
      "StepCompleted stops",
      "RouterExecutionCompleted route",
      "ConditionExecutionCompleted if",
      "LoopIterationCompleted loop",
      "LoopExecutionCompleted loop",
      "WorkflowCompleted",
    ]);
    expect(await run).toMatchObject({ status: "COMPLETED", content: "enough" });
  });

  it("shows the end of a Parallel that an early stop is in, with all branches ended", async () => {
    const stops = step("stops", { executor: () => stepOutput({ content: "enough", stop: true }) });
    const stopped = new Gate();
    const slow = step("slow", { executor: () => stopped.passed.then(() => "slow") });
    const run = pipeline([new Parallel("both", stops, slow), step("never")]).run("in", everything);

    const events: PipelineEvent[] = [];
    for await (const event of run.events()) {
      events.push(event);
      if (event.event === "StepCompleted" && event["stepName"] === "stops") stopped.pass();
    }
    const names = namesOf(events);

    expect(names.slice(-3)).toEqual(["StepCompleted slow", "ParallelExecutionCompleted both", "WorkflowCompleted"]);
    expect(names).not.toContain("StepStarted never");
  });

  it("tells of a failed step, then of the failed run, and of nothing more", async () => {
    const run = pipeline([new Steps({ name: "group", steps: [step("bad", { executor: fails })] })]).run(
      "in",
      everything,
    );
    const events = await eventsOf(run);

    expect(namesOf(events)).toEqual([
      "WorkflowStarted",
      "StepsExecutionStarted group",
      "StepStarted bad",
      "StepError bad",
      "WorkflowError bad",
    ]);
    expect(events.at(-2)).toMatchObject({ error: "no", stepIndex: [0, 0], parentStepId: "0" });
  });

  it("tells of the failure of a step that is skipped", async () => {
    const run = pipeline([step("bad", { executor: fails, onError: "skip" }), step("next")]).run("in", everything);

    expect(namesOf(await eventsOf(run))).toEqual([
      "WorkflowStarted",
      "StepStarted bad",
      "StepError bad",
      "StepStarted next",
      "StepOutput next",
      "StepCompleted next",
      "WorkflowCompleted",
    ]);
  });

  it("begins a step once, however often it is tried", async () => {
    let calls = 0;
    const flaky: StepFunction = () => {
      if (++calls < 3) throw new Error("no");
      return "done";
    };
    const run = pipeline([step("flaky", { executor: flaky, maxRetries: 2 })]).run("in", everything);

    expect(namesOf(await eventsOf(run))).toEqual([
      "WorkflowStarted",
      "StepStarted flaky",
      "StepRetried flaky",
      "StepRetried flaky",
      "StepOutput flaky",
      "StepCompleted flaky",
      "WorkflowCompleted",
    ]);
    expect(calls).toBe(3);
  });

  it("ends with WorkflowPaused, and goes on without a second start, for readers from then on too", async () => {
    const asked = pipeline([step("a"), step("b", { humanReview: { requiresConfirmation: true } })]);
    const run = asked.run("in", everything);
    const before = await eventsOf(run);
    const paused = await run;
    paused.requirements[0]?.confirm();
    const continued = asked.continueRun(paused);
    const after = await eventsOf(continued, { after: before.at(-1)?.eventIndex as number });
    const all = await eventsOf(asked.handle(run.runId));

    expect(namesOf(before)).toEqual([
      "WorkflowStarted",
      "StepStarted a",
      "StepOutput a",
      "StepCompleted a",
      "StepPaused b",
      "WorkflowPaused",
    ]);
    expect(before.at(-1)).toMatchObject({ status: "PAUSED", content: "in a", stepResults: [{ stepName: "a" }] });
    expect(namesOf(after)).toEqual([
      "StepContinued b",
      "StepStarted b",
      "StepOutput b",
      "StepCompleted b",
      "WorkflowCompleted",
    ]);
    expect(namesOf(all)).toEqual([...namesOf(before).slice(0, -1), ...namesOf(after)]);
  });

  it("a reader that lags behind a pause reads on to the end, when it was answered meanwhile", async () => {
    const asked = pipeline([step("a", { humanReview: { requiresConfirmation: true } })]);
    const run = asked.run("in", everything);
    const reader = run.events();
    const first = await reader.next();
    const paused = await run;
    paused.requirements[0]?.confirm();
    await asked.continueRun(paused);
    const rest = [];
    for await (const event of reader) rest.push(event);

    expect(namesOf([first.value as never, ...rest])).toEqual([
      "WorkflowStarted",
      "StepPaused a",
      "StepContinued a",
      "StepStarted a",
      "StepOutput a",
      "StepCompleted a",
      "WorkflowCompleted",
    ]);
  });

  it("an agent that pauses is shown as paused and continued, and begins once", async () => {
    const asked = pipeline([new Step({ name: "agent", executor: pausingAgent("agent") })]);
    const paused = await asked.run("in", everything);
    paused.requirements[0]?.confirm();

    expect(namesOf(await eventsOf(asked.continueRun(paused)))).toEqual([
      "WorkflowStarted",
      "StepStarted agent",
      "StepExecutorPaused agent",
      "StepExecutorContinued agent",
      "StepCompleted agent",
      "WorkflowCompleted",
    ]);
  });
});
