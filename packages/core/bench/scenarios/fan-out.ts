/** One step gives an array, another handles each element, a third gets them all. */
import { createWorkflow } from "@llamaindex/workflow-core";
import { runWorkflow } from "@llamaindex/workflow-core/stream/run";
import { zodEvent } from "@llamaindex/workflow-core/util/zod";
import { Effect } from "effect";
import { collect, event, many, StartEvent, StopEvent } from "millrace";
import { assign, createActor, createMachine, fromPromise, toPromise } from "xstate";
import * as z from "zod";
import { type Measure, medianMs } from "../measure.ts";
import { define, hostTurn, type Run } from "../subjects.ts";

const shape = { index: z.number() };
const schema = z.object(shape);
type Item = z.infer<typeof schema>;

/** @param waits Each item waits one turn of the host. */
function millrace(items: number, waits = false): Run {
  const [Part, Done] = [event("Part", shape), event("Done", shape)];
  const workflow = define("fan")
    .step("split", { on: StartEvent, emits: many(Part) }, () =>
      Array.from({ length: items }, (_, index) => new Part({ index })),
    )
    .step("work", { on: Part, emits: Done }, async ({ index }: Item) => {
      if (waits) await hostTurn();
      return new Done({ index });
    })
    .step(
      "gather",
      { on: collect(Done), emits: StopEvent },
      (all: readonly Item[]) => new StopEvent({ result: all.length }),
    )
    .build();
  return () => workflow.run().then((result) => expectAll(result, items));
}

function bare(items: number, waits = false): Run {
  const make = (index: number) => Object.freeze(schema.parse({ index }));
  return async () => {
    const parts = Array.from({ length: items }, (_, index) => make(index));
    const work = async ({ index }: Item) => {
      if (waits) await hostTurn();
      return make(index);
    };
    const done = await Promise.all(parts.map(work));
    return expectAll(done.length, items);
  };
}

function effect(items: number, waits = false): Run {
  const work = (index: number) =>
    Effect.gen(function* () {
      if (waits) yield* Effect.promise(hostTurn);
      return yield* Effect.succeed({ index });
    });
  const fan = Effect.forEach(
    Array.from({ length: items }, (_, index) => index),
    work,
    { concurrency: "unbounded" },
  );
  return () => Effect.runPromise(fan).then((done) => expectAll(done.length, items));
}

/** As its README does it: send all, then take as many from the stream. */
function workflowCore(items: number): Run {
  const [start, part, done, stop] = [zodEvent(schema), zodEvent(schema), zodEvent(schema), zodEvent(schema)];
  const workflow = createWorkflow();
  workflow.handle([start], async ({ sendEvent, stream }) => {
    for (let index = 0; index < items; index++) sendEvent(part.with({ index }));
    const all = await stream.filter(done).take(items).toArray();
    return stop.with({ index: all.length });
  });
  workflow.handle([part], async (_context, { data }) => done.with({ index: data.index }));
  return () => runWorkflow(workflow, start.with({ index: 0 }), stop).then(({ data }) => expectAll(data.index, items));
}

function xstate(items: number): Run {
  const work = fromPromise(async ({ input }: { readonly input: number }) => input);
  const spawnAll = assign({
    parts: ({ spawn }) => Array.from({ length: items }, (_, index) => spawn(work as never, { input: index } as never)),
  });
  const machine = createMachine({
    initial: "work",
    context: { parts: [], done: 0 },
    entry: spawnAll,
    states: {
      work: {
        on: {
          "xstate.done.actor.*": { actions: assign({ done: ({ context }) => context.done + 1 }) },
        },
        always: {
          guard: ({ context }: { readonly context: { readonly done: number } }) => context.done === items,
          target: "end",
        },
      },
      end: { type: "final" },
    },
  } as never);
  return () => {
    const actor = createActor(machine);
    const done = toPromise(actor);
    actor.start();
    return done;
  };
}

function expectAll(got: unknown, items: number): void {
  if (got !== items) throw new TypeError(`${got} of ${items} items came back`);
}

const makers = { millrace, bare, effect, "workflow-core": workflowCore, xstate };

/** XState takes half a minute for ten thousand items: few rounds are enough. */
function roundsOf(name: string, items: number) {
  if (name === "xstate") return items > 1000 ? { rounds: 1, warmups: 0 } : { rounds: 5, warmups: 1 };
  return items > 1000 ? { rounds: 15, warmups: 5 } : { rounds: 50, warmups: 20 };
}

function fanOut(items: number): Measure {
  const entries = Object.entries(makers).map(([name, make]) => {
    const perItem = async () => (1000 * (await medianMs(make(items), roundsOf(name, items)))) / items;
    return [name, perItem] as const;
  });
  return {
    name: `fan-out and in of ${items.toLocaleString("en")} items`,
    unit: "µs per item",
    budget: 4,
    subjects: Object.fromEntries(entries),
  };
}

const waiting = Object.entries({ millrace, bare, effect }).map(([name, make]) => {
  const perItem = async () => (1000 * (await medianMs(make(10_000, true), roundsOf(name, 10_000)))) / 10_000;
  return [name, perItem] as const;
});

const growth = Object.entries(makers).map(([name, make]) => {
  const ratio = async () =>
    (await medianMs(make(10_000), roundsOf(name, 10_000))) / (await medianMs(make(1000), roundsOf(name, 1000)));
  return [name, ratio] as const;
});

export const measures: readonly Measure[] = [
  fanOut(1000),
  fanOut(10_000),
  {
    name: "fan-out of 10,000 items that each wait one turn of the host",
    unit: "µs per item",
    subjects: Object.fromEntries(waiting),
  },
  {
    name: "fan-out: time of 10,000 by that of 1,000",
    unit: "×",
    budget: 12,
    subjects: Object.fromEntries(growth.filter(([name]) => name !== "xstate")),
  },
];
