/**
 * What a simulated cluster counts, beside what the formulas of the page say. The course of a simulation follows from its seed, so
 * the numbers are the same on every machine.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../setup/console.mjs";

const load = (name) => import(pathToFileURL(join(root, "packages", name, "dist", "index.js")).href);
const { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent } = await load("core");
const { simulate } = await load("testing");

/** What the plays have in common, for those who compute the same. */
export const played = { processes: 10, runs: 300, hours: 6, leaseMs: 60_000, minutesOfKilled: 30 };
const none = {
  kills: 0,
  stops: 0,
  pauses: 0,
  partitions: 0,
  slowStores: 0,
  lostAnswers: 0,
  clockChanges: 0,
  deployments: 0,
};

class Second extends event("Second") {}
class Third extends event("Third") {}
class Answer extends ExternalEvent.define("Answer") {}

const threeSteps = (process, stepTime) =>
  defineWorkflow("threeSteps")
    .step("a", { on: StartEvent, emits: Second }, async () => process.wait(stepTime).then(() => new Second({})))
    .step("b", { on: Second, emits: Third }, async () => process.wait(stepTime).then(() => new Third({})))
    .step("c", { on: Third, emits: StopEvent }, async () => process.wait(stepTime).then(() => new StopEvent({})))
    .build();

const question = () =>
  defineWorkflow("question")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer }, async (_event, ctx) => {
      await ctx.waitForEvent(Answer);
      await ctx.sleep("10m");
      return new StopEvent({});
    })
    .build();

const play = (more) =>
  simulate({
    seed: 1,
    processes: played.processes,
    callers: played.runs,
    time: `${played.hours}h`,
    faults: none,
    runtime: { leaseMs: played.leaseMs },
    ...more,
  });

const ends = async (caller, number) => {
  const run = await caller.start("threeSteps", {}, { runId: `run-${number}` });
  await run.result();
};

/** Runs that nothing disturbs, runs that wait twice, and runs whose processes are killed. */
export async function simulations() {
  const calm = await play({ workflows: (process) => ({ threeSteps: threeSteps(process, "2s") }), call: ends });
  const waiting = await play({
    workflows: () => ({ question: question() }),
    async call(caller, number) {
      const run = await caller.start("question", {}, { runId: `run-${number}` });
      await caller.wait("10m");
      await run.send(new Answer({}), "answer");
      await run.result();
    },
  });
  const killed = await play({
    workflows: (process) => ({ threeSteps: threeSteps(process, "10m") }),
    call: ends,
    faults: { ...none, kills: 20 },
  });
  return { calm, waiting, killed };
}
