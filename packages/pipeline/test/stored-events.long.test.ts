/** The events that stay with a run: all of them, whoever has read its stream. */
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { sqliteStore } from "@millrace/sqlite";
import { proveResumable } from "@millrace/testing";
import { QuestionEvent, type Workflow } from "millrace";
import { describe, expect, it } from "vitest";
import {
  Condition,
  HumanPrompt,
  Loop,
  Parallel,
  Pipeline,
  type PipelineEvent,
  type PipelineOptions,
  Step,
  type StepFunction,
  Steps,
} from "../src/index.js";
import { fakeAgent, pausingAgent } from "./support/fake-executor.js";
import { temporaryDirectory } from "./support/files.js";
import { Gate } from "./support/gate.js";
import { answerAll, eventsOf, fails, namesOf, pipeline, step } from "./support/pipelines.js";
import { Random } from "./support/random.js";
import { randomPipeline } from "./support/random-tree.js";

const everything = { streamEvents: true };
const stored = { storeEvents: true };

const chatty = fakeAgent("chatty", ({ stream }) => {
  for (const event of ["RunStarted", "RunContent", "RunCompleted"]) stream?.({ event, content: "text" } as never);
  return {};
});

/** Outputs are in the run already, and where an event is in the stream is no part of it. */
const repeated = new Set([
  "stepResults",
  "stepResponse",
  "stepOutput",
  "allResults",
  "iterationResults",
  "stepExecutorRuns",
]);

function withoutResults(event: object): object {
  const fields = Object.entries(event).filter(
    ([key]) => !repeated.has(key) && key !== "eventIndex" && !key.startsWith("createdAt"),
  );
  return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
}

describe("stored events", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "are what a reader of everything sees, without what the outputs have, seed %i",
    async (seed) => {
      const { steps } = randomPipeline(new Random(seed));
      const run = pipeline(steps, stored).run("in", everything);

      const seen = await eventsOf(run);
      const { events } = await run;

      expect(sorted(events)).toEqual(sorted(seen));
      expect(events.filter((event) => Object.keys(event).some((key) => repeated.has(key)))).toEqual([]);
    },
  );

  it("are in the order in which they were told, whenever their attempts have ended", async () => {
    const [begun, told] = [new Gate(), new Gate()];
    const slow = step("slow", {
      executor: async (_input, { emit }) => {
        begun.pass();
        await told.passed;
        emit("Last");
      },
    });
    const fast = step("fast", { executor: () => begun.passed });
    const after = step("after", { executor: told.pass });
    const both = new Parallel("both", slow, new Steps({ name: "quick", steps: [fast, after] }));
    const fromMs = Date.now();
    const run = pipeline([both], stored).run("in", everything);

    const seen = await eventsOf(run);
    const { events } = await run;

    expect(namesOf(events)).toEqual(namesOf(seen));
    expect(namesOf(events).indexOf("StepStarted slow")).toBeLessThan(namesOf(events).indexOf("StepCompleted fast"));
    expect(events.map(({ eventIndex }) => eventIndex)).toEqual(events.map((_, index) => index));
    const times = events.map(({ createdAtMs }) => Number(createdAtMs));
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times[0]).toBeGreaterThanOrEqual(fromMs);
    expect(times.at(-1)).toBeLessThanOrEqual(Date.now());
  });

  it("do not depend on what is shown, nor on whether anybody reads", async () => {
    const steps = [step("a"), new Step({ name: "agent", executor: chatty })];
    const loud = await pipeline(steps, stored).run("in", everything);
    const quiet = await pipeline(steps, stored).run("in", { streamExecutorEvents: false });

    expect(namesOf(quiet.events)).toEqual(namesOf(loud.events));
    expect(namesOf(quiet.events)).toContain("RunCompleted agent");
  });

  it("are none where nobody wants them, also where a nested pipeline does", async () => {
    const inner = new Pipeline({ name: "Inner", steps: [step("i")], storeEvents: true });

    expect((await pipeline([inner]).run("in", everything)).events).toEqual([]);
  });

  it("have those of nested pipelines, each once, at any depth, also where the nested one stores none", async () => {
    const innermost = new Pipeline({ name: "Innermost", steps: [step("x"), chatty] });
    const inner = new Pipeline({ name: "Inner", steps: [innermost], storeEvents: true, eventsToSkip: ["StepOutput"] });
    const run = pipeline([inner], stored).run("in", everything);
    const seen = await eventsOf(run);
    const { events, stepExecutorRuns } = await run;

    expect(sorted(events)).toEqual(sorted(seen));
    expect(namesOf(events).filter((name) => name === ">> StepOutput x")).toHaveLength(1);
    expect(namesOf(events).filter((name) => name === ">> RunCompleted chatty")).toHaveLength(1);
    expect(stepExecutorRuns.map(({ stepName }) => stepName)).toEqual(["chatty", "Innermost", "Inner"]);
    expect(JSON.stringify(stepExecutorRuns)).not.toContain('"event"');
  });

  it("leave out what is not wanted, by either name, also of nested pipelines and agents; the stream has it all", async () => {
    const inner = new Pipeline({ name: "Inner", steps: [chatty] });
    const skipping = (eventsToSkip: string[]) =>
      pipeline([new Loop({ name: "loop", maxIterations: 2, steps: [inner] })], { ...stored, eventsToSkip });
    const skipped = ["StepStarted", "RunContent", "LoopIterationStarted", "WorkflowStarted"];
    const wire = skipping(skipped).run("in", everything);
    const long = await skipping(skipped.map((name) => `${name}Event`)).run("in");
    const seen = await eventsOf(wire);
    const kept = (await wire).events;

    expect(sorted(kept)).toEqual(sorted(seen.filter(({ event }) => !skipped.includes(event))));
    expect(kept.length).toBeLessThan(seen.length);
    expect(namesOf(long.events)).toEqual(namesOf(kept));
  });

  it("have everything of a failed run, its failed attempts and its end", async () => {
    const inner = new Pipeline({ name: "Inner", steps: [chatty, step("bad", { executor: fails })] });
    const run = pipeline([new Step({ name: "nested", executor: inner, maxRetries: 1 })], stored).run("in", everything);
    const seen = await eventsOf(run);
    const { events, status } = await run.output();

    expect(status).toBe("ERROR");
    expect(sorted(events)).toEqual(sorted(seen));
    expect(namesOf(events).filter((name) => name === "> StepError bad")).toHaveLength(2);
    expect(namesOf(events).slice(-2)).toEqual(["StepError nested", "WorkflowError nested"]);
  });

  it("have the question of a paused run, and go on behind it, without the marks of its pauses", async () => {
    const asked = pipeline(
      [
        new Loop({
          name: "loop",
          maxIterations: 2,
          steps: [new Steps({ name: "group", steps: [step("b", { humanReview: { requiresConfirmation: true } })] })],
        }),
        new Step({ name: "agent", executor: pausingAgent("agent") }),
        step("c", { humanReview: { requiresOutputReview: true } }),
      ],
      stored,
    );
    const run = asked.run("in", everything);
    const before = (await eventsOf(run)).filter(({ event }) => event !== "WorkflowPaused");
    const paused = await run;
    const done = await answerAll(asked, paused);
    const all = await eventsOf(asked.handle(run.runId));

    expect(sorted(paused.events)).toEqual(sorted(before));
    expect(sorted(done.events)).toEqual(sorted(all));
    expect(namesOf(done.events).filter((name) => /Paused|Review|Continued/.test(name))).toEqual([
      "StepPaused b",
      "StepContinued b",
      "StepPaused b",
      "StepContinued b",
      "StepExecutorPaused agent",
      "StepExecutorContinued agent",
      "StepOutputReview c",
      "StepContinued c",
    ]);
  });

  it("have the step of a nested pipeline that asks once, as the stream does, whatever process answers", async () => {
    const path = join(temporaryDirectory(), "runs.db");
    const nest = (name: string, steps: PipelineOptions["steps"]) =>
      new Step({ name, executor: new Pipeline({ name: `${name} inside`, steps }), maxRetries: 1 });
    const asks = step("asks", { humanReview: { requiresConfirmation: true } });
    let failures = 0;
    const flaky = () => {
      if (failures++ === 0) throw new Error("no");
    };
    const open = () =>
      pipeline([nest("outer", [flaky, nest("inner", [asks])])], { ...stored, store: sqliteStore(path) });
    const first = open();
    const { requirements, runId } = await first.run("in", { ...everything, sessionId: "s" });
    await first.close();

    const second = open();
    const requirementId = String(requirements[0]?.requirementId);
    const answers = [{ requirementId, decision: { decision: "confirm" as const } }];
    const { events } = await second.continueRun(runId, { answers });

    const told = namesOf(await eventsOf(second.handle(runId)));
    expect(namesOf(events)).toEqual(told);
    expect(told.filter((name) => /^(> )?Step(Started|Retried)/.test(name))).toEqual([
      "StepStarted outer",
      "> StepStarted flaky",
      "StepRetried outer",
      "> StepStarted flaky",
      "> StepStarted inner",
    ]);
  });

  it("have the end of a group that the stream shows, also where another branch fails the run at that moment", async () => {
    const turns = Array.from({ length: 12 }, (_, count) => count);
    const after = (count: number, work: StepFunction): StepFunction => {
      return async (input, context) => {
        for (let turn = 0; turn < count; turn++) await setImmediate();
        return work(input, context);
      };
    };
    const runOf = async (ends: number, failsAfter: number) => {
      const group = new Parallel("group", step("ends", { executor: after(ends, () => "done") }), step("beside"));
      const failing = new Steps({ name: "failing", steps: [step("bad", { executor: after(failsAfter, fails) })] });
      const run = pipeline([new Parallel("both", group, failing)], stored).run("in", everything);
      const told = namesOf(await eventsOf(run));
      return { told: told.sort(), kept: namesOf((await run.output()).events).sort() };
    };

    const runs = await Promise.all(turns.flatMap((ends) => turns.map((failsAfter) => runOf(ends, failsAfter))));

    expect(runs.map(({ kept }) => kept)).toEqual(runs.map(({ told }) => told));
  });

  it("have what was done in a cancelled run, and how it ended", async () => {
    const waits: StepFunction = (_input, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const cancelled = pipeline([step("a"), step("waits", { executor: waits })], {
      ...stored,
      eventsToSkip: ["StepOutput"],
    });
    const run = cancelled.run("in", everything);
    for await (const { event, stepName } of run.events()) if (event === "StepStarted" && stepName === "waits") break;
    const { events } = await run.cancel("enough");

    expect(namesOf(events)).toEqual([
      "WorkflowStarted",
      "StepStarted a",
      "StepCompleted a",
      "StepStarted waits",
      "WorkflowCancelled",
      "WorkflowCompleted",
    ]);
    expect(events.at(-2)).toMatchObject({ reason: "enough", status: "CANCELLED", runId: run.runId });
  });

  it("have how people have ended a run", async () => {
    const asked = pipeline([step("a", { humanReview: { requiresConfirmation: true, onReject: "cancel" } })], stored);
    const run = asked.run("in", everything);
    const done = await answerAll(asked, await run, (requirement) => requirement.reject());

    expect(sorted(done.events)).toEqual(sorted(await eventsOf(run)));
    expect(namesOf(done.events).slice(-3)).toEqual(["StepContinued a", "WorkflowCancelled", "WorkflowCompleted"]);
  });
});

describe("stored events of a run that crashes at any moment", () => {
  const trees: Record<string, () => PipelineOptions["steps"]> = {
    "branches, loops, agents and conditions": () => [
      new Loop({
        name: "loop",
        maxIterations: 2,
        steps: [new Parallel("both", new Step({ name: "agent", executor: chatty }), step("b"))],
      }),
      new Condition({ name: "if", evaluator: false, steps: [step("yes")] }),
    ],
    "a nested pipeline": () => [step("a"), new Pipeline({ name: "Inner", steps: [step("i"), chatty] })],
    "failed steps": () => [
      step("often", { executor: fails, maxRetries: 2, onError: "skip" }),
      new Steps({ name: "group", onError: "skip", steps: [step("x"), step("bad", { executor: fails })] }),
    ],
  };

  it.each(Object.entries(trees))("are the same as without the crash: %s", async (_name, steps) => {
    const make = (): Pipeline => new Pipeline({ name: "proved", steps: steps(), storeEvents: true });

    const proof = await proveResumable((): Workflow => make().workflow, make().workflowInput("in") as never, {
      seeds: [1, 2],
      compare: (expected, actual) => kept(expected.result) === kept(actual.result),
    });

    expect(proof.crashes).toBeGreaterThan(10);
  });

  it("are the same where people are asked", async () => {
    const humanReview = { requiresConfirmation: true };
    const make = (): Pipeline =>
      new Pipeline({
        name: "proved",
        storeEvents: true,
        steps: [
          new Parallel(
            "both",
            step("a", { humanReview }),
            new Step({ name: "agent", executor: pausingAgent("agent") }),
          ),
        ],
      });
    const answers = {
      [HumanPrompt.type]: { decision: { decision: "confirm" } },
      [QuestionEvent.type]: { approved: true },
    };

    const proof = await proveResumable((): Workflow => make().workflow, make().workflowInput("in") as never, {
      seeds: [1, 2],
      answers,
      compare: (expected, actual) => kept(expected.result) === kept(actual.result),
    });

    expect(proof.crashes).toBeGreaterThan(10);
  });
});

/** As a multiset: events of branches come in any order. */
function sorted(events: readonly object[]): string[] {
  return events.map((event) => JSON.stringify(withoutResults(event))).sort();
}

function kept(result: unknown): string {
  const { events } = result as { readonly events: readonly PipelineEvent[] };
  const times = new Set([
    "duration",
    "createdAt",
    "createdAtMs",
    "endedAtMs",
    "eventIndex",
    "askedAtMs",
    "runId",
    "pipelineRunId",
  ]);
  const plain = events.map((event) => JSON.stringify(event, (key, value: unknown) => (times.has(key) ? 0 : value)));
  return JSON.stringify(plain.sort());
}
