/**
 * A run with 1 MB of plain state and 100 pending events, to a snapshot and back, as multiples of what
 * `JSON.stringify` and `JSON.parse` take for the same snapshot.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Context, type ContextDict, defineWorkflow, event, many, StartEvent, StopEvent } from "millrace";
import { assign, createActor, createMachine } from "xstate";
import * as z from "zod";
import { type Measure, medianMs } from "../measure.ts";

const EVENTS = 100;
const ROUNDS = { rounds: 60, warmups: 30 };

/** About a megabyte of JSON: what an agent remembers. */
function makeDocuments(): object[] {
  return Array.from({ length: 4000 }, (_, index) => ({
    id: `document-${index}`,
    title: `The ${index}th document`,
    text: "It was the best of times, it was the worst of times. ".repeat(2),
    score: index / 7,
    tags: ["a", "b", "c"],
    read: index % 2 === 0,
    source: { url: `https://example.org/${index}`, page: index % 30 },
  }));
}

class Part extends event("Part", { index: z.number(), text: z.string() }) {}

const hanging = () =>
  defineWorkflow("snapshot", { state: { documents: z.array(z.unknown()).default([]) } })
    .step("split", { on: StartEvent, emits: many(Part) }, async (_ev, ctx) => {
      await ctx.store.set("documents", makeDocuments());
      return Array.from({ length: EVENTS }, (_, index) => new Part({ index, text: "x".repeat(100) }));
    })
    .step("hang", { on: Part, emits: StopEvent, workers: 1 }, () => new Promise<StopEvent>(() => {}))
    .build();

type RoundTrip = () => unknown;

/** The snapshot once everything is in it. */
async function wholeDict(take: () => ContextDict): Promise<ContextDict> {
  for (let pass = 0; pass < 100; pass++) {
    await sleep(50);
    const dict = take();
    const text = JSON.stringify(dict);
    if (text.length > 1_000_000 && text.split("xxxx").length > EVENTS) return dict;
  }
  throw new TypeError("The snapshot is too small");
}

async function millrace(): Promise<{
  readonly objects: RoundTrip;
  readonly text: RoundTrip;
  readonly json: RoundTrip;
}> {
  const workflow = hanging();
  const { context } = workflow.run();
  const dict = await wholeDict(() => context.toDict());
  return {
    objects: () => Context.fromDict(workflow, context.toDict()),
    text: () => Context.fromDict(workflow, JSON.parse(JSON.stringify(context.toDict()))),
    json: () => JSON.parse(JSON.stringify(dict)),
  };
}

/** The same state; its mailbox is not in its snapshots, so the pending events lie in the context. */
function xstate(): { readonly text: RoundTrip; readonly json: RoundTrip } {
  const pending = Array.from({ length: EVENTS }, (_, index) => ({ type: "Part", index, text: "x".repeat(100) }));
  const machine = createMachine({
    initial: "waiting",
    context: { documents: makeDocuments(), pending },
    states: { waiting: { on: { add: { actions: assign({}) } } } },
  });
  const actor = createActor(machine).start();
  const snapshot = actor.getPersistedSnapshot();
  return {
    text: () => createActor(machine, { snapshot: JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) }).start(),
    json: () => JSON.parse(JSON.stringify(snapshot)),
  };
}

async function ratio(work: RoundTrip, json: RoundTrip): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < 3; round++) ratios.push((await medianMs(work, ROUNDS)) / (await medianMs(json, ROUNDS)));
  return ratios.sort((left, right) => left - right)[1] as number;
}

export const measures: readonly Measure[] = [
  {
    name: "JSON.stringify + JSON.parse of that snapshot",
    unit: "ms",
    subjects: { bare: async () => medianMs((await millrace()).json, ROUNDS) },
  },
  {
    name: "snapshot: toDict, stringify, parse, fromDict",
    unit: "× JSON",
    budget: 2,
    subjects: {
      millrace: async () => {
        const { text, json } = await millrace();
        return ratio(text, json);
      },
      xstate: () => {
        const { text, json } = xstate();
        return ratio(text, json);
      },
    },
  },
  {
    name: "snapshot: toDict and fromDict alone",
    unit: "× JSON",
    budget: 2,
    subjects: {
      millrace: async () => {
        const { objects, json } = await millrace();
        return ratio(objects, json);
      },
    },
  },
];
