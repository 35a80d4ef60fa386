/** Ten thousand runs at once: all at work, or all waiting for an answer. */
import { setTimeout as sleep } from "node:timers/promises";
import { createWorkflow } from "@llamaindex/workflow-core";
import { zodEvent } from "@llamaindex/workflow-core/util/zod";
import { Deferred, Effect } from "effect";
import { defineWorkflow, ExternalEvent, InputRequiredEvent, StartEvent, StopEvent } from "millrace";
import { createActor, createMachine } from "xstate";
import * as z from "zod";
import { keptBytes, type Measure, medianMs } from "../measure.ts";
import { bareChain, effectChain, millraceChain, type Run, workflowCoreChain, xstateChain } from "../subjects.ts";

const RUNS = 10_000;
const shape = { text: z.string() };
const makers = {
  millrace: millraceChain,
  bare: bareChain,
  effect: effectChain,
  "workflow-core": workflowCoreChain,
  xstate: xstateChain,
};

async function allAtOnce(run: Run): Promise<void> {
  await Promise.all(Array.from({ length: RUNS }, run));
}

async function leakedBytesPerRun(run: Run): Promise<number> {
  for (let round = 0; round < 3; round++) await allAtOnce(run);
  const before = await keptBytes();
  for (let round = 0; round < 5; round++) await allAtOnce(run);
  return Math.max(0, ((await keptBytes()) - before) / (5 * RUNS));
}

/** Heap per run, with what its caller holds. */
async function keptPerRunKb(start: () => unknown): Promise<number> {
  const warm = Array.from({ length: 100 }, start);
  await sleep(100);
  const before = await keptBytes();
  const runs = Array.from({ length: RUNS }, start);
  await sleep(500);
  const after = await keptBytes();
  if (runs.length + warm.length !== RUNS + 100) throw new TypeError("nobody holds the runs");
  return (after - before) / RUNS / 1024;
}

class Ask extends StartEvent.define("Ask", shape) {}
class Question extends InputRequiredEvent.define("Question", shape) {}
class Answer extends ExternalEvent.define("Answer", shape) {}

function millraceWaiting(prompt: boolean): () => unknown {
  const workflow = defineWorkflow("waiting")
    .step("ask", { on: Ask, emits: StopEvent, waits: Answer, streams: Question }, async (ev, ctx) => {
      const options = prompt ? { prompt: new Question({ text: ev.text }) } : {};
      const answer = await ctx.waitForEvent(Answer, options);
      return new StopEvent({ result: answer.text });
    })
    .build();
  return () => workflow.run({ text: "ready?" });
}

/** No function is held: the run asks by an event and goes on with whatever step takes the answer. */
function millraceAsking(): () => unknown {
  const workflow = defineWorkflow("asking")
    .step("ask", { on: Ask, emits: Question }, async (ev) => new Question({ text: ev.text }))
    .step("go on", { on: Answer, emits: StopEvent }, async (ev) => new StopEvent({ result: ev.text }))
    .build();
  return () => workflow.run({ text: "ready?" });
}

function workflowCoreWaiting(): () => unknown {
  const [ask, answer, stop] = [zodEvent(z.object(shape)), zodEvent(z.object(shape)), zodEvent(z.object(shape))];
  const workflow = createWorkflow();
  workflow.handle([ask], async ({ stream }) => {
    const [answered] = await stream.filter(answer).take(1).toArray();
    return stop.with({ text: String(answered) });
  });
  return () => {
    const context = workflow.createContext();
    context.sendEvent(ask.with({ text: "ready?" }));
    return context;
  };
}

function xstateWaiting(): () => unknown {
  const machine = createMachine({
    initial: "waiting",
    context: { text: "ready?" },
    states: { waiting: { on: { answer: "end" } }, end: { type: "final" } },
  });
  return () => createActor(machine).start();
}

/** A fiber that waits, and how to wake it. */
function effectWaiting(): () => unknown {
  return () => {
    const wake = Deferred.makeUnsafe<string>();
    const run = Effect.gen(function* () {
      return `${yield* Deferred.await(wake)}!`;
    });
    return { fiber: Effect.runFork(run), wake };
  };
}

/** What no library can do without: an async function that waits, and how to wake it. */
function bareWaiting(): () => unknown {
  return () => {
    let wake: (text: string) => void = () => {};
    const run = async (): Promise<string> => `${await new Promise<string>((resolve) => (wake = resolve))}!`;
    return { result: run(), wake };
  };
}

export const measures: readonly Measure[] = [
  {
    name: "10,000 runs of 3 steps at once",
    unit: "ms",
    budget: 400,
    subjects: Object.fromEntries(
      Object.entries(makers).map(([name, make]) => [
        name,
        () => medianMs(() => allAtOnce(make(3)), { rounds: name === "workflow-core" ? 3 : 9, warmups: 2 }),
      ]),
    ),
  },
  {
    name: "10,000 runs of 3 steps at once; one step waits one turn of the host",
    unit: "ms",
    subjects: Object.fromEntries(
      Object.entries({ millrace: millraceChain, bare: bareChain, effect: effectChain }).map(([name, make]) => [
        name,
        () => medianMs(() => allAtOnce(make(3, 1)), { rounds: 9, warmups: 2 }),
      ]),
    ),
  },
  {
    name: "left behind by each of them",
    unit: "bytes",
    budget: 16,
    subjects: Object.fromEntries(
      Object.entries(makers).map(([name, make]) => [name, () => leakedBytesPerRun(make(3))]),
    ),
  },
  {
    name: "paused run: a step waits",
    unit: "kB",
    budget: 4,
    subjects: {
      millrace: () => keptPerRunKb(millraceWaiting(false)),
      bare: () => keptPerRunKb(bareWaiting()),
      effect: () => keptPerRunKb(effectWaiting()),
      "workflow-core": () => keptPerRunKb(workflowCoreWaiting()),
      xstate: () => keptPerRunKb(xstateWaiting()),
    },
  },
  {
    name: "paused run: a step waits, with a prompt",
    unit: "kB",
    budget: 4.5,
    subjects: { millrace: () => keptPerRunKb(millraceWaiting(true)) },
  },
  {
    name: "paused run: a prompt is its last event",
    unit: "kB",
    budget: 4,
    subjects: { millrace: () => keptPerRunKb(millraceAsking()) },
  },
];
