/** One step that sends itself 40,000 events: neither time nor heap may grow with what is past. */
import { createWorkflow } from "@llamaindex/workflow-core";
import { runWorkflow } from "@llamaindex/workflow-core/stream/run";
import { zodEvent } from "@llamaindex/workflow-core/util/zod";
import { Effect, Queue } from "effect";
import { StartEvent, StopEvent } from "millrace";
import { assign, createActor, createMachine, fromPromise, toPromise } from "xstate";
import * as z from "zod";
import { collectGarbage, type Measure } from "../measure.ts";
import { define } from "../subjects.ts";

const TURNS = 40_000;
const QUARTER = TURNS / 4;
const shape = { count: z.number() };
type Count = { readonly count: number };

/** Starts a loop that calls `mark` at every turn with its number. */
type Loop = (mark: (turn: number) => void) => Promise<unknown>;

const loops: Record<string, Loop> = {
  millrace(mark) {
    const Turn = StartEvent.define("Turn", shape);
    const workflow = define("loop")
      .step("turn", { on: Turn, emits: [Turn, StopEvent] }, async ({ count }: Count) => {
        mark(count);
        return count === TURNS ? new StopEvent({ result: count }) : new Turn({ count: count + 1 });
      })
      .build();
    return workflow.run({ count: 1 });
  },
  async bare(mark) {
    const validate = z.object(shape)["~standard"].validate;
    let turn: Count = { count: 0 };
    while (turn.count < TURNS) {
      turn = (validate({ count: turn.count + 1 }) as { readonly value: Count }).value;
      await mark(turn.count);
    }
  },
  /** Each turn puts the next one into a queue. */
  effect(mark) {
    const loop = Effect.gen(function* () {
      const queue = yield* Queue.unbounded<number>();
      yield* Queue.offer(queue, 1);
      for (;;) {
        const count = yield* Queue.take(queue);
        mark(count);
        if (count === TURNS) return count;
        yield* Queue.offer(queue, count + 1);
      }
    });
    return Effect.runPromise(loop);
  },
  "workflow-core"(mark) {
    const [turnEvent, stopEvent] = [zodEvent(z.object(shape)), zodEvent(z.object(shape))];
    const workflow = createWorkflow();
    workflow.handle([turnEvent], async (_context, { data: { count } }) => {
      mark(count);
      return count === TURNS ? stopEvent.with({ count }) : turnEvent.with({ count: count + 1 });
    });
    return runWorkflow(workflow, turnEvent.with({ count: 1 }), stopEvent);
  },
  xstate(mark) {
    const work = fromPromise(async ({ input }: { readonly input: number }) => {
      mark(input + 1);
      return input + 1;
    });
    const count = assign({ count: ({ event }) => event.output });
    const machine = createMachine({
      initial: "turn",
      context: { count: 0 },
      states: {
        turn: {
          invoke: {
            src: work,
            input: ({ context }: { readonly context: Count }) => context.count,
            onDone: [
              {
                guard: ({ event }: { readonly event: { readonly output: number } }) => event.output === TURNS,
                target: "end",
              },
              { target: "turn", reenter: true, actions: count },
            ],
          },
        },
        end: { type: "final" },
      },
    } as never);
    const actor = createActor(machine);
    const done = toPromise(actor);
    actor.start();
    return done;
  },
};

async function microsecondsPerTurn(loop: Loop): Promise<number> {
  const startedAtMs = performance.now();
  await loop(() => {});
  return (1000 * (performance.now() - startedAtMs)) / TURNS;
}

/** The time of the last quarter by that of the second; the compiler warms up in the first. */
async function growthOfTime(loop: Loop): Promise<number> {
  const marks: number[] = [];
  await loop((turn) => {
    if (turn % QUARTER === 0) marks.push(performance.now());
  });
  const [first = 0, second = 0, third = 0, fourth = 0] = marks;
  return (fourth - third) / (second - first);
}

async function growthOfHeapKb(loop: Loop): Promise<number> {
  const marks: number[] = [];
  await loop((turn) => {
    if (turn % QUARTER !== 0) return;
    collectGarbage();
    marks.push(process.memoryUsage().heapUsed);
  });
  return ((marks[3] as number) - (marks[0] as number)) / 1024;
}

const everybody = Object.keys(loops);

function forAll(take: (loop: Loop) => Promise<number>, names = everybody): Measure["subjects"] {
  return Object.fromEntries(names.map((name) => [name, () => take(loops[name] as Loop)]));
}

export const measures: readonly Measure[] = [
  { name: "loop of 40,000 turns, cold", unit: "µs per turn", subjects: forAll(microsecondsPerTurn) },
  {
    name: "loop: last quarter by the second",
    unit: "×",
    budget: 1.2,
    subjects: forAll(growthOfTime, ["millrace", "bare", "effect", "xstate"]),
  },
  { name: "loop: heap kept from turn 10,000 to 40,000", unit: "kB", budget: 64, subjects: forAll(growthOfHeapKb) },
];
