/** What a pipeline does, written for the core by hand: the same number of steps, and nothing that a pipeline adds. */
import { collect, defineWorkflow, type EventClass, event, many, StartEvent, StopEvent } from "millrace";
import { createRuntime, type RunStore } from "millrace/runtime";

/** How a step leaves its result: with its event only, or also in the state, as a pipeline does. */
export type Keeps = "nothing" | "its output";

/** Nothing to check: neither does a pipeline check what it makes itself. */
const anything = {
  "~standard": { version: 1 as const, vendor: "bench", validate: (value: unknown) => ({ value }) },
};

/** The builder counts its graph in types; a graph of a hundred steps, made in a loop, goes without. */
interface LooseBuilder {
  step(name: string, options: object, run: (event: Count, ctx: LooseContext) => unknown): LooseBuilder;
  build(): LooseWorkflow;
}
interface LooseWorkflow {
  run(input?: object): PromiseLike<unknown>;
}
interface LooseContext {
  readonly store: { editState(edit: (state: { outputs?: object[] }) => void): Promise<void> };
}
type Count = { readonly count: number };
type Make = new (fields: Count) => object;

const define = defineWorkflow as never as (name: string) => LooseBuilder;
const defineEvent = (name: string): EventClass & Make => event(name, { count: anything }) as never;
const stop = (result: unknown): object => new StopEvent({ result });

async function keep(keeps: Keeps, ctx: LooseContext, { place, count }: { place: number; count: number }) {
  if (keeps === "nothing") return;
  await ctx.store.editState((state) => {
    state.outputs ??= [];
    state.outputs[place] = { name: `step${place}`, content: count };
  });
}

/** Each step counts up by one. */
export function chain(steps: number, keeps: Keeps): LooseWorkflow {
  const events = Array.from({ length: steps }, (_, place) => defineEvent(`Step${place}`));
  let builder = define("chain").step("begin", { on: StartEvent, emits: events[0] }, () => first({ count: 0 }));
  const first = (fields: Count): object => new (events[0] as Make)(fields);
  for (const [place, On] of events.entries()) {
    const Next = events[place + 1];
    builder = builder.step(`step${place}`, { on: On, emits: Next ?? StopEvent }, async ({ count }, ctx) => {
      await keep(keeps, ctx, { place, count });
      return Next ? new Next({ count: count + 1 }) : stop(count + 1);
    });
  }
  return builder.build();
}

/** One step gives a list, another handles each of it, a third gets them all. */
export function fanOut(items: number, keeps: Keeps): LooseWorkflow {
  const [Part, Done] = [defineEvent("Part"), defineEvent("Done")];
  const all = collect(Done as never) as never as EventClass;
  return define("fan")
    .step("split", { on: StartEvent, emits: many(Part as never) }, () =>
      Array.from({ length: items }, (_, count) => new Part({ count })),
    )
    .step("work", { on: Part, emits: Done, workers: 1_000 }, async ({ count }, ctx) => {
      await keep(keeps, ctx, { place: count, count });
      return new Done({ count });
    })
    .step("gather", { on: all, emits: StopEvent }, (done) => stop((done as unknown as readonly unknown[]).length))
    .build();
}

/** One step that sends itself an event. */
export function loop(turns: number, { keeps, mark = () => {} }: { keeps: Keeps; mark?: () => void }): LooseWorkflow {
  const Turn = defineEvent("Turn");
  return define("loop")
    .step("begin", { on: StartEvent, emits: Turn }, () => new Turn({ count: 1 }))
    .step("turn", { on: Turn, emits: [Turn, StopEvent] }, async ({ count }, ctx) => {
      mark();
      await keep(keeps, ctx, { place: count - 1, count });
      return count === turns ? stop(count) : new Turn({ count: count + 1 });
    })
    .build();
}

/** Two steps, of which the second waits for the promise that it is given. */
export function holding(held: () => Promise<unknown>): LooseWorkflow {
  const Next = defineEvent("Next");
  return define("holding")
    .step("begin", { on: StartEvent, emits: Next }, () => new Next({ count: 0 }))
    .step("hold", { on: Next, emits: StopEvent }, async () => stop(await held()))
    .build();
}

export interface CoreRuntime {
  run(): PromiseLike<unknown>;
  stop(): Promise<void>;
}

/** As a pipeline has one of its own. */
export function runtimeOf(workflow: LooseWorkflow, store?: RunStore): CoreRuntime {
  const runtime = createRuntime({ workflows: { bench: workflow as never }, ...(store && { store }) });
  return { run: () => runtime.run("bench" as never, {} as never), stop: () => runtime.stop() };
}
