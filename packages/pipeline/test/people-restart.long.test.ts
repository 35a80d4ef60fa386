/** Questions outlive the process that has asked them. */
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { Loop, Parallel, Pipeline, type PipelineOptions, type PipelineRunOutput } from "../src/index.js";
import { Child } from "./support/child.js";
import { askAbout, fakeAgent, pausingAgent, toolCall } from "./support/fake-executor.js";
import { temporaryDirectory } from "./support/files.js";
import { eventsOf, namesOf, step } from "./support/pipelines.js";
import { answer, asked, expected, given, questions, reviewed } from "./support/reviewed.js";

const open = (path: string) => sqliteStore(path, { durability: "process" });

/** Each answer comes to another pipeline object over the same file. */
async function answeredElsewhere(
  path: string,
): Promise<{ readonly asked: string[]; readonly output: PipelineRunOutput }> {
  const all: string[] = [];
  for (;;) {
    const pipeline = reviewed(open(path));
    const paused = await pipeline.getRun(given.runId);
    if (paused.status !== "PAUSED") return pipeline.close().then(() => ({ asked: all, output: paused }));
    all.push(asked(paused.requirements));
    for (const requirement of paused.requirements) answer(requirement);
    await pipeline.continueRun(paused);
    await pipeline.close();
  }
}

describe("a run that waits for people", () => {
  it("is answered in one process after the other, every kind of question, and loses nothing", async () => {
    const path = join(temporaryDirectory(), "runs.db");
    const first = reviewed(open(path));
    const paused = await first.run({ topic: "rivers" }, given);
    await first.close();

    const { asked: kinds, output } = await answeredElsewhere(path);

    expect(paused).toMatchObject({ status: "PAUSED", content: "begun", metadata: given.metadata });
    expect(kinds).toEqual(questions);
    expect(output).toMatchObject(expected);
    expect(output.answered.map(({ kind, decision }) => `${kind} ${decision}`)).toHaveLength(questions.length + 2);
  });

  it("ends as it does without any restart", async () => {
    const path = join(temporaryDirectory(), "runs.db");
    const restarted = reviewed(open(path));
    await restarted.run({ topic: "rivers" }, given);
    await restarted.close();
    const { output } = await answeredElsewhere(path);

    const calm = reviewed(open(join(temporaryDirectory(), "runs.db")));
    onTestFinished(() => calm.close());
    let one = await calm.run({ topic: "rivers" }, given);
    while (one.status === "PAUSED") {
      for (const requirement of one.requirements) answer(requirement);
      one = await calm.continueRun(one);
    }

    expect(comparable(output)).toEqual(comparable(one));
  });

  it("goes on when the process that has asked was killed", async () => {
    const path = join(temporaryDirectory(), "runs.db");
    const child = new Child("reviewed-process.ts", { path });
    await child.ready;
    await child.kill();
    const next = reviewed(open(path));
    await next.start();
    const paused = await next.handle(given.runId).output();
    await next.close();

    const { asked: kinds, output } = await answeredElsewhere(path);

    expect((await child.ended).signal).toBe("SIGKILL");
    expect(paused).toMatchObject({ status: "PAUSED", content: "begun" });
    expect(kinds).toEqual(questions);
    expect(output).toMatchObject(expected);
  });

  it("shows its question once to those who read its stream in the next process, and keeps it once", async () => {
    const path = join(temporaryDirectory(), "runs.db");
    const make = () =>
      new Pipeline({
        name: "Asked",
        store: open(path),
        storeEvents: true,
        steps: [step("a", { humanReview: { requiresConfirmation: true } })],
      });
    const first = make();
    await first.run("in", { runId: "one", streamEvents: true });
    await first.close();
    const second = make();
    onTestFinished(() => second.close());
    const before = namesOf(await eventsOf(second.handle("one")));
    const paused = await second.getRun("one");
    paused.requirements[0]?.confirm();
    const { events } = await second.continueRun(paused);
    const names = [
      "WorkflowStarted",
      "StepPaused a",
      "StepContinued a",
      "StepStarted a",
      "StepOutput a",
      "StepCompleted a",
      "WorkflowCompleted",
    ];

    expect(before).toEqual(["WorkflowStarted", "StepPaused a", "WorkflowPaused"]);
    expect(namesOf(await eventsOf(second.handle("one")))).toEqual(names);
    expect(namesOf(events)).toEqual(names);
  });
});

describe("an agent that pauses", () => {
  /** Each answer comes to another pipeline object. */
  async function through(steps: () => PipelineOptions["steps"], say = "confirm"): Promise<PipelineRunOutput[]> {
    const path = join(temporaryDirectory(), "runs.db");
    const outputs: PipelineRunOutput[] = [];
    for (;;) {
      const pipeline = new Pipeline({ name: "Agents", store: open(path), steps: steps() });
      const last = outputs.at(-1);
      if (last === undefined) outputs.push(await pipeline.run("in", { runId: "one" }));
      else {
        const paused = await pipeline.getRun("one");
        for (const one of paused.requirements) say === "confirm" ? one.confirm() : one.reject("too dangerous");
        outputs.push(await pipeline.continueRun(paused));
      }
      await pipeline.close();
      if (outputs.at(-1)?.status !== "PAUSED") return outputs;
    }
  }

  it("goes on with its own state and what was answered, in another process", async () => {
    const [paused, done] = await through(() => [
      step("a"),
      pausingAgent("agent"),
      step("b", { executor: (input) => input.previousStepContent }),
    ]);

    expect(paused?.requirements).toMatchObject([
      {
        kind: "executor",
        stepName: "agent",
        message: "May it call delete_file?",
        data: { tools: [toolCall("agent", 1)] },
      },
    ]);
    expect(done).toMatchObject({
      status: "COMPLETED",
      content: {
        state: { asked: "in a" },
        answers: [{ toolCallId: "agent call 1", approved: true, note: null }],
      },
    });
  });

  it("is told what was refused, and why", async () => {
    const outputs = await through(() => [pausingAgent("agent")], "reject");

    expect(outputs.at(-1)?.content).toMatchObject({
      answers: [{ toolCallId: "agent call 1", approved: false, note: "too dangerous" }],
    });
  });

  it("may pause again and again", async () => {
    const chained = () =>
      fakeAgent("chained", async ({ ctx }) => {
        for (const count of [1, 2, 3]) await askAbout(ctx, toolCall("chained", count));
        return { content: "3 calls" };
      });
    const outputs = await through(() => [chained(), step("after")]);

    expect(outputs.map(({ status }) => status)).toEqual(["PAUSED", "PAUSED", "PAUSED", "COMPLETED"]);
    expect(outputs.slice(0, 3).map(({ requirements }) => requirements[0]?.data.tools[0]?.toolCallId)).toEqual([
      ...["chained call 1", "chained call 2", "chained call 3"],
    ]);
    expect(outputs.at(-1)?.content).toBe("3 calls after");
  });

  it("in a Parallel in a Loop goes on at that very point, each iteration anew, with its siblings done once", async () => {
    let siblings = 0;
    const steps = () => [
      new Loop({
        name: "loop",
        maxIterations: 2,
        steps: [
          new Parallel(
            "both",
            pausingAgent("agent"),
            step("sibling", {
              executor: () => {
                siblings++;
                return "sibling";
              },
            }),
          ),
          step("end", { executor: () => "end" }),
        ],
      }),
    ];
    const outputs = await through(steps);

    expect(outputs.map(({ status }) => status)).toEqual(["PAUSED", "PAUSED", "COMPLETED"]);
    expect(outputs.at(-1)?.stepResults[0]?.iterations?.map((one) => one.map(({ stepName }) => stepName))).toEqual([
      ["both", "end"],
      ["both", "end"],
    ]);
    expect(siblings).toBe(2);
  });
});

/**
 * An output without what differs from run to run: times, and what depends on which of two branches the host lets go on first, the
 * order of their answers and the numbers of their visits.
 */
function comparable(output: PipelineRunOutput): unknown {
  const times = new Set(["duration", "createdAt", "createdAtMs", "endedAtMs", "askedAtMs", "answeredAtMs"]);
  const visit = /(?<=^agent of reviewed:[\d.]+:)\d+$/;
  const named = output.answered.map((one) => ({ ...one, about: `${one.stepId} ${one.kind}` }));
  const answered = named.sort((one, other) => one.about.localeCompare(other.about));
  return JSON.parse(
    JSON.stringify({ ...output, answered }, (key, part) => {
      if (times.has(key)) return 0;
      return typeof part === "string" ? part.replace(visit, "visit") : part;
    }),
  );
}
