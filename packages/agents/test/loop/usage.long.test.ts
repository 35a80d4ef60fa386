/** Tokens count, however the attempt of an agent in a pipeline ends. */
import { setTimeout as sleep } from "node:timers/promises";
import { Parallel, Pipeline, type PipelineOptions, Step, type StepOptions } from "@millrace/pipeline";
import { expect, it, onTestFinished } from "vitest";
import { Agent, Team, tool } from "../../src/index.js";
import { answers, calls } from "../support/turns.js";

/** Never returns, unless it is told to stop. */
const stuck = tool({
  name: "stuck",
  description: "Takes for ever.",
  execute: (_args, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
});

/** Does not listen. */
const deaf = tool({ name: "deaf", description: "Takes long.", execute: () => sleep(3_000) });

/** How the attempt of an agent ends while a tool of it runs. */
const ends = {
  // The first case loads what it needs within this time.
  "its time is up": async (step: StepOf, open: Open) => {
    const pipeline = open([step({ timeout: 1_000, maxRetries: 0, onError: "skip" }), () => "next"]);
    return pipeline.run("go").output();
  },
  "the run is cancelled": async (step: StepOf, open: Open) => {
    const run = open([step({})]).run("go");
    await sleep(300);
    return run.cancel();
  },
  "another branch fails": async (step: StepOf, open: Open) => {
    const failing = () => sleep(300).then(() => Promise.reject(new TypeError("no")));
    const fails = new Step({ name: "fail", executor: failing, maxRetries: 0 });
    return open([new Parallel("both", step({}), fails)])
      .run("go")
      .output();
  },
};

type StepOf = (options: Partial<StepOptions>) => Step;

type Open = (steps: PipelineOptions["steps"]) => Pipeline;

const combinations = Object.keys(ends).flatMap((how) =>
  ["stuck", "deaf"].flatMap((name) =>
    [true, false].flatMap((isTeam) => [true, false].map((streams) => [how, name, isTeam, streams] as const)),
  ),
);

it.each(combinations)(
  "counts the model calls when %s, in the tool `%s`, of a team: %s, streamed: %s",
  async (how, name, isTeam, streams) => {
    const clerkOf = () => new Agent({ name: "Clerk", model: answers(calls([name, {}])), tools: [stuck, deaf] });
    const delegate = calls(["delegate_task_to_member", { member: "clerk", task: "go" }]);
    const executor = isTeam ? new Team({ name: "House", model: answers(delegate), members: [clerkOf()] }) : clerkOf();

    const open: Open = (steps) => {
      const pipeline = new Pipeline({ name: "Desk", steps, streamExecutorEvents: streams });
      onTestFinished(() => pipeline.close());
      return pipeline;
    };

    const step: StepOf = (options) => new Step({ name: "ask", executor, ...options });
    const output = await ends[how as keyof typeof ends](step, open);

    expect(output.metrics.steps["ask"]?.metrics.totalTokens).toBe(isTeam ? 30 : 15);
  },
);
