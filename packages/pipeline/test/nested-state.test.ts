/** One session state for a pipeline and the pipelines nested in it, whatever the depth. */
import { setImmediate } from "node:timers/promises";
import { Context } from "millrace";
import { createRuntime, memoryStore, type RunStore, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  Loop,
  Parallel,
  type ParallelOptions,
  Pipeline,
  type PipelineRunOutput,
  Step,
  type StepFunction,
  Steps,
} from "../src/index.js";
import { fakeAgent } from "./support/fake-executor.js";
import { answerAll, fails, pipeline, step } from "./support/pipelines.js";

const put =
  (key: string, value: unknown): StepFunction =>
  (_input, { sessionState }) => {
    sessionState[key] = value;
  };

const countOne: StepFunction = (_input, { editState }) =>
  editState(async (state) => {
    const before = state["count"] as number;
    await setImmediate();
    state["count"] = before + 1;
  });

/** A store that outlives the pipelines that close it. */
function shelf(): RunStore {
  return new Proxy(memoryStore(), {
    get(target, name) {
      if (name === "close") return async () => {};
      const member = Reflect.get(target, name) as unknown;
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

const nest = (name: string, steps: Parameters<typeof pipeline>[0], options = {}): Step =>
  new Step({ name, executor: pipeline(steps, { name, ...options }) });

describe("a nested pipeline", () => {
  it("sees at once what the outer one changes while it is at work, and is seen at once; also twice nested", async () => {
    const waitFor =
      (key: string): StepFunction =>
      async (_input, { sessionState }) => {
        while (sessionState[key] === undefined) await setImmediate();
        return sessionState[key];
      };
    const innermost = nest("innermost", [put("fromInside", "in"), waitFor("fromOutside")]);
    const output = await pipeline([
      new Parallel(
        "both",
        nest("inner", [innermost]),
        new Step({
          name: "beside",
          async executor(input, context) {
            context.sessionState["fromOutside"] = "out";
            return waitFor("fromInside")(input, context);
          },
        }),
      ),
    ]).run("");

    expect(output.sessionState).toEqual({ fromInside: "in", fromOutside: "out" });
    expect(output.content).toContain("in");
    expect(output.content).toContain("out");
  });

  it("is exact with editState, in many at once and twice nested: 200 edits with an await inside", async () => {
    const five = () => Array.from({ length: 5 }, (_, n) => new Step({ name: `count ${n}`, executor: countOne }));
    const twice = (name: string) => nest(name, [new Parallel(`${name} many`, ...five()), nest(`${name} in`, five())]);
    const branches = Array.from({ length: 19 }, (_, n) => twice(`nested ${n}`));
    const counting = pipeline([new Parallel("all", ...branches, ...five()), ...five()], { sessionState: { count: 0 } });

    const { sessionState } = await counting.run("", { sessionId: "s" });

    expect(sessionState).toEqual({ count: 200 });
    expect(await counting.getSessionState("s")).toEqual({ count: 200 });
  });

  it("fills in what its template has and the session lacks, and overwrites nothing", async () => {
    const inner = nest("inner", [(_input, { sessionState }) => JSON.stringify(sessionState)], {
      sessionState: { a: "inner", b: { x: 1, y: 2 }, list: [1] },
    });
    const output = await pipeline([put("list", []), inner, inner], { sessionState: { a: "outer", b: { x: 0 } } }).run(
      "",
    );

    expect(output.sessionState).toEqual({ a: "outer", b: { x: 0, y: 2 }, list: [] });
    expect(JSON.parse(output.content as string)).toEqual(output.sessionState);
  });

  it("that fails leaves what it has changed, and each of its attempts goes on from there", async () => {
    const inner = pipeline([
      countOne,
      (_input, { sessionState }) => void (sessionState["seen"] = sessionState["count"]),
      fails,
    ]);
    const output = await pipeline([new Step({ name: "nested", executor: inner, maxRetries: 2, onError: "skip" })], {
      sessionState: { count: 0 },
    }).run("", { sessionId: "s" });

    expect(output).toMatchObject({ status: "COMPLETED", sessionState: { count: 3, seen: 3 } });
  });

  it("keeps its own place: the same pipeline in two branches and in every iteration", async () => {
    const inner = pipeline([step("x"), step("y")], { name: "Inner" });
    const both = new Parallel(
      "both",
      new Step({ name: "one", executor: inner }),
      new Step({ name: "two", executor: inner }),
    );
    const output = await pipeline([
      new Loop({
        name: "loop",
        maxIterations: 3,
        forwardIterationOutput: true,
        steps: [both, (input) => input.getStepContent("two")],
      }),
    ]).run("in");

    expect(output.stepResults[0]?.steps.map(({ content }) => content).at(-1)).toBe("in x y");
    expect(output.stepExecutorRuns).toHaveLength(6);
    expect(new Set(output.stepExecutorRuns.map(({ runId }) => runId)).size).toBe(6);
  });

  it("in an isolated branch works on the state of that branch, at any depth, and has isolated branches of its own", async () => {
    const seen: Record<string, unknown> = {};
    const tell =
      (key: string): StepFunction =>
      (_input, { sessionState }) => {
        seen[key] = { ...sessionState };
      };
    const isolated = (name: string, steps: ParallelOptions["steps"]) =>
      new Parallel({ name, state: "isolated", steps });
    const group = (name: string, ...steps: StepFunction[]) => new Steps({ name, steps });
    const deep = (name: string) => {
      const branches = [group("x", put(`${name} x`, 1), countOne), group("y", tell(`${name} y`), countOne)];
      const inside = nest(`${name} in`, [isolated(`${name} both`, branches)]);
      return nest(name, [put(name, 1), countOne, inside, tell(name)]);
    };
    const outer = pipeline([isolated("all", [deep("a"), deep("b")]), countOne], { sessionState: { count: 0 } });

    const { sessionState } = await outer.run("", { sessionId: "s" });

    expect(seen).toEqual({
      a: { count: 3, a: 1, "a x": 1 },
      b: { count: 3, b: 1, "b x": 1 },
      "a y": { count: 1, a: 1 },
      "b y": { count: 1, b: 1 },
    });
    expect(sessionState).toEqual({ count: 7, a: 1, b: 1, "a x": 1, "b x": 1 });
    expect(await outer.getSessionState("s")).toEqual(sessionState);
  });

  it("knows the history of the run around it, at any depth, also where only it asks for that", async () => {
    const agent = fakeAgent("agent");
    const innermost = nest("innermost", [agent], { addWorkflowHistoryToSteps: true });
    const outer = pipeline([
      nest("inner", [innermost, (input) => JSON.stringify(input.getWorkflowHistory())], {
        addWorkflowHistoryToSteps: true,
      }),
    ]);

    await outer.run("first", { sessionId: "s" });
    const second = await outer.run("second", { sessionId: "s" });

    expect(JSON.parse(second.content as string)).toEqual([["first", expect.anything()]]);
  });

  it("asks people, and the answer of another process finds it and the state as they were", async () => {
    const store = shelf();
    const make = (): Pipeline => {
      const asks = step("asks", { humanReview: { requiresConfirmation: true } });
      const innermost = new Pipeline({ name: "innermost", steps: [put("before", 1), asks, countOne] });
      const inner = new Pipeline({ name: "inner", steps: [put("inner", 1), innermost, countOne] });
      const branches = ["one", "two"].map((name) => new Step({ name, executor: inner }));
      return new Pipeline({
        name: "outer",
        store,
        sessionState: { count: 0 },
        steps: [new Parallel("both", ...branches)],
      });
    };
    const first = make();
    const paused = await first.run("in", { runId: "r", sessionId: "s" });
    await first.close();

    const second = make();
    const found = await second.getRun("r");
    const output = await answerAll(second, found);
    await second.close();

    expect(paused).toMatchObject({ status: "PAUSED", sessionState: { count: 0, before: 1, inner: 1 } });
    expect(found.requirements).toHaveLength(2);
    expect(output).toMatchObject({ status: "COMPLETED", sessionState: { count: 4, before: 1, inner: 1 } });
  });
});

it("what nested runs were at is kept no longer than their step", async () => {
  const store = shelf();
  const inner = pipeline([step("x"), nest("in", [step("y")])], { name: "Inner" });
  const steps = [
    new Step({ name: "ok", executor: inner }),
    nest("bad", [inner, fails]),
    step("waits", { humanReview: { requiresConfirmation: true } }),
  ];
  const outer = pipeline([new Steps({ name: "group", onError: "skip", steps: steps.slice(0, 2) }), ...steps.slice(2)], {
    store,
  });
  await outer.run("in", { runId: "r" });

  const runtime = createRuntime({ workflows: { [outer.id]: outer.workflow }, store });
  const context = Context.fromDict(outer.workflow, await runtime.handle("r").snapshot());

  expect(await context.store.getState()).toMatchObject({ nested: {}, visits: expect.any(Number) });
});

it("a fork of a run goes on inside its nested pipelines, and forgets them as the run itself does", async () => {
  const asks = step("asks", { humanReview: { requiresConfirmation: true } });
  const inner = nest("inner", [put("before", 1), nest("innermost", [countOne, asks]), countOne]);
  const outer = pipeline([new Parallel("both", inner, step("beside"))], { sessionState: { count: 0 } });
  const store = shelf();
  const runtime = createRuntime({ workflows: { [outer.id]: outer.workflow }, store }) as Runtime;
  onTestFinished(() => runtime.stop());
  const run = runtime.run(outer.id, outer.workflowInput("in", { sessionId: "s" }) as never, { runId: "one" });
  await run.idle();
  const ticks = [];
  for await (const { number } of runtime.history("one")) ticks.push(number);

  const fork = runtime.fork("one", { runId: "two", at: ticks.at(-1) as number });
  const outcome = await fork.idle();
  const [prompt] = outcome.status === "waiting" ? outcome.prompts : [];
  await fork.answer(prompt?.promptId ?? "", { decision: { decision: "confirm" } });
  const output = (await fork) as PipelineRunOutput;

  expect(output).toMatchObject({ status: "COMPLETED", sessionState: { count: 2, before: 1 } });
  expect(Object.keys(output.metrics.steps).sort()).toEqual(["beside", "inner"]);
  expect(output.metrics.steps["inner"]?.executions).toHaveLength(1);
});
