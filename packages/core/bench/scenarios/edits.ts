/** 10,000 edits of one number, each with an await between reading and writing: none may be lost. And pushes to long lists. */
import { createWorkflow } from "@llamaindex/workflow-core";
import { createStatefulMiddleware } from "@llamaindex/workflow-core/middleware/state";
import { runWorkflow } from "@llamaindex/workflow-core/stream/run";
import { zodEvent } from "@llamaindex/workflow-core/util/zod";
import { Mutex } from "async-mutex";
import { Effect, SynchronizedRef } from "effect";
import { collect, defineWorkflow, event, many, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore, type RunStore } from "millrace/runtime";
import * as z from "zod";
import { type Measure, medianMs } from "../measure.ts";

const EDITS = 10_000;
const PUSHES = 200;
const shape = { index: z.number() };
class Part extends event("Part", shape) {}
class Done extends event("Done", shape) {}

async function millrace(steps: number): Promise<number> {
  const workflow = defineWorkflow("edits", { state: { total: z.number().default(0) } })
    .step("split", { on: StartEvent, emits: many(Part) }, () =>
      Array.from({ length: steps }, (_, index) => new Part({ index })),
    )
    .step("edit", { on: Part, emits: Done, workers: steps }, async (ev, ctx) => {
      for (let left = EDITS / steps; left > 0; left--) {
        await ctx.store.editState(async (state) => {
          const before = state.total;
          await null;
          state.total = before + 1;
        });
      }
      return new Done({ index: ev.index });
    })
    .step(
      "sum",
      { on: collect(Done), emits: StopEvent },
      async (_all, ctx) => new StopEvent({ result: await ctx.store.get("total") }),
    )
    .build();
  return medianMs(async () => expectAll(await workflow.run()), { rounds: 9, warmups: 3 });
}

/** A mutex around a plain object: no draft, no rollback, no run. */
function bare(): Promise<number> {
  return medianMs(
    async () => {
      const state = { total: 0 };
      const mutex = new Mutex();
      const edit = async () => {
        const before = state.total;
        await null;
        state.total = before + 1;
      };
      await Promise.all(Array.from({ length: EDITS }, () => mutex.runExclusive(edit)));
      expectAll(state.total);
    },
    { rounds: 15, warmups: 5 },
  );
}

/** A fiber for each edit, one after the other on a reference with a lock: no draft, and each writes a number. */
function effect(): Promise<number> {
  const edits = Effect.gen(function* () {
    const total = yield* SynchronizedRef.make(0);
    const edit = SynchronizedRef.updateEffect(total, (before) => Effect.as(Effect.yieldNow, before + 1));
    yield* Effect.forEach(Array.from({ length: EDITS }), () => edit, { concurrency: "unbounded", discard: true });
    return yield* SynchronizedRef.get(total);
  });
  return medianMs(async () => expectAll(await Effect.runPromise(edits)), { rounds: 9, warmups: 3 });
}

async function workflowCore(): Promise<string> {
  const { withState } = createStatefulMiddleware(() => ({ total: 0 }));
  const [start, part, done, stop] = [
    zodEvent(z.object(shape)),
    zodEvent(z.object(shape)),
    zodEvent(z.object(shape)),
    zodEvent(z.object(shape)),
  ];
  const workflow = withState(createWorkflow());
  workflow.handle([start], async ({ sendEvent, stream, state }) => {
    for (let index = 0; index < EDITS; index++) sendEvent(part.with({ index }));
    await stream.filter(done).take(EDITS).toArray();
    return stop.with({ index: state.total });
  });
  workflow.handle([part], async ({ state }, { data }) => {
    const before = state.total;
    await null;
    state.total = before + 1;
    return done.with({ index: data.index });
  });
  const { data } = await runWorkflow(workflow, start.with({ index: 0 }), stop);
  return `loses ${(EDITS - data.index).toLocaleString("en")}`;
}

/** What pushes to a long list cost, over edits of a list of ten: the median of the ratios of runs that take turns. */
async function pushRatio(long: () => Promise<number>): Promise<number> {
  const short = pushing(10);
  const ratios: number[] = [];
  for (let round = 0; round < 60; round++) ratios.push((await long()) / (await short()));
  return median(ratios.slice(20));
}

/** No edit can do less: a copy of the list before, the push, and nobody can write to it afterwards. */
function copying(items: number): () => Promise<number> {
  return async () => {
    let list: readonly number[] = Object.freeze(Array.from({ length: items }, (_, index) => index));
    const atMs = performance.now();
    for (let left = PUSHES; left > 0; left--) {
      const copy = [...list];
      if (left % 2 === 0) copy.push(left);
      else copy.pop();
      list = Object.freeze(copy);
    }
    return performance.now() - atMs;
  };
}

/** One step that pushes to a list and takes the item off again, so that its length stays. No schema looks at each item. */
function pushing(items: number): () => Promise<number> {
  const numbers = Array.from({ length: items }, (_, index) => index);
  const workflow = defineWorkflow("pushes")
    .step("push", { on: StartEvent, emits: StopEvent }, async (_start, ctx) => {
      await ctx.store.set("numbers", numbers);
      const atMs = performance.now();
      for (let left = PUSHES; left > 0; left--) {
        await ctx.store.editState((state) => {
          const list = state["numbers"] as number[];
          if (left % 2 === 0) list.push(left);
          else list.pop();
        });
      }
      return new StopEvent({ result: performance.now() - atMs });
    })
    .build();
  return async () => (await workflow.run()) as number;
}

/** Characters of the ticks that one edit of one entry of a Map stores, over as many edits as there are entries. */
async function storedByMapEdit(entries: number): Promise<number> {
  const store = memoryStore();
  let characters = 0;
  const counting: RunStore = {
    ...store,
    commit(commits) {
      for (const { ticks, blobs = [] } of commits)
        for (const { text } of [...(ticks === undefined ? [] : [ticks]), ...blobs]) characters += text.length;
      return store.commit(commits);
    },
  };
  const workflow = defineWorkflow("map", { state: { votes: z.map(z.string(), z.number()).default(() => new Map()) } })
    .step("vote", { on: StartEvent, emits: StopEvent }, async (_start, ctx) => {
      await ctx.store.set("votes", new Map(Array.from({ length: entries }, (_, index) => [`voter ${index}`, 0])));
      characters = 0;
      for (let index = 0; index < entries; index++)
        await ctx.store.editState(({ votes }) => void votes.set(`voter ${index}`, 1));
      return new StopEvent({ result: characters / entries });
    })
    .build();
  const runtime = createRuntime({ workflows: { workflow }, store: counting });
  const found = await runtime.run("workflow");
  await runtime.stop();
  return found as number;
}

function median(values: number[]): number {
  return values.sort((left, right) => left - right)[Math.floor(values.length / 2)] as number;
}

function expectAll(total: unknown): void {
  if (total !== EDITS) throw new TypeError(`${total} of ${EDITS} edits are in the state`);
}

export const measures: readonly Measure[] = [
  {
    name: "10,000 edits by 10,000 parallel steps",
    unit: "ms",
    budget: 150,
    subjects: { millrace: () => millrace(EDITS), bare, effect, "workflow-core": workflowCore },
  },
  {
    name: "10,000 edits by 100 parallel steps",
    unit: "ms",
    budget: 150,
    subjects: { millrace: () => millrace(100), bare },
  },
  {
    name: "a push to a list of 1,000, over one to a list of 10",
    unit: "×",
    budget: 1.5,
    subjects: { millrace: () => pushRatio(pushing(1000)), bare: () => pushRatio(copying(1000)) },
  },
  {
    name: "a push to a list of 10,000, over one to a list of 10",
    unit: "×",
    budget: 3,
    subjects: { millrace: () => pushRatio(pushing(10_000)), bare: () => pushRatio(copying(10_000)) },
  },
  {
    name: "stored by an edit of one entry of a Map of 1,000",
    unit: "characters",
    budget: 300,
    subjects: { millrace: () => storedByMapEdit(1_000) },
  },
];
