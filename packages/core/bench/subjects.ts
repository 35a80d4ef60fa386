/**
 * The same work for everybody: a chain of steps that each count up by one, with events that zod checks
 * where the library can check them (XState cannot).
 */
import { createWorkflow } from "@llamaindex/workflow-core";
import { runWorkflow } from "@llamaindex/workflow-core/stream/run";
import { zodEvent } from "@llamaindex/workflow-core/util/zod";
import { Effect } from "effect";
import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import { assign, createActor, createMachine, fromPromise, toPromise } from "xstate";
import * as z from "zod";

export type Run = () => Promise<unknown>;

/** One turn of the host: the least that a call of another system takes. */
export function hostTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const NOWHERE = -1;

const shape = { count: z.number() };
const schema = z.object(shape);
type Count = z.infer<typeof schema>;

/** The builder counts its graph in types; a graph of a thousand steps, made in a loop, goes without. */
export interface LooseBuilder {
  step(name: string, options: object, run: (event: never, ctx: never) => unknown): LooseBuilder;
  build(options?: object): { run(input?: object): Promise<unknown> };
}
export const define = defineWorkflow as never as (name: string, options?: object) => LooseBuilder;

/** @param waitingAt The step that waits one turn of the host. */
export function millraceChain(steps: number, waitingAt: number = NOWHERE): Run {
  const First = StartEvent.define("First", shape);
  const events: (new (fields: Count) => object)[] = [First];
  for (let index = 1; index < steps; index++) events.push(event(`Step${index}`, shape));
  events.push(StopEvent.define("Last", shape));
  let builder = define(`chain-${steps}`);
  for (let index = 0; index < steps; index++) {
    const Next = events[index + 1] as (typeof events)[number];
    builder = builder.step(`step${index}`, { on: events[index], emits: Next }, async ({ count }: Count) => {
      if (index === waitingAt) await hostTurn();
      return new Next({ count: count + 1 });
    });
  }
  const workflow = builder.build();
  return () => workflow.run({ count: 0 });
}

/** A loop over async functions that hand schema-checked, frozen events on. */
export function bareChain(steps: number, waitingAt: number = NOWHERE): Run {
  const validate = z.number()["~standard"].validate;
  class Counted {
    readonly count: number;
    constructor(input: Count) {
      const result = validate(input.count) as { readonly value: number; readonly issues?: unknown };
      if (result.issues) throw new TypeError("invalid");
      this.count = result.value;
      Object.freeze(this);
    }
  }
  const step = async ({ count }: Counted, index: number) => {
    if (index === waitingAt) await hostTurn();
    return new Counted({ count: count + 1 });
  };
  return async () => {
    let event = new Counted({ count: 0 });
    for (let index = 0; index < steps; index++) event = await step(event, index);
    return event;
  };
}

/** One fiber that runs a generator for each step. Nothing checks what they hand on. */
export function effectChain(steps: number, waitingAt: number = NOWHERE): Run {
  const step = (count: number, index: number) =>
    Effect.gen(function* () {
      if (index === waitingAt) yield* Effect.promise(hostTurn);
      return yield* Effect.succeed(count + 1);
    });
  const chain = Effect.gen(function* () {
    let count = 0;
    for (let index = 0; index < steps; index++) count = yield* step(count, index);
    return count;
  });
  return () => Effect.runPromise(chain);
}

export function workflowCoreChain(steps: number): Run {
  const events = Array.from({ length: steps + 1 }, () => zodEvent(schema));
  const workflow = createWorkflow();
  for (let index = 0; index < steps; index++) {
    const [From, To] = [events[index], events[index + 1]] as [(typeof events)[number], (typeof events)[number]];
    workflow.handle([From], async (_context, event) => To.with({ count: event.data.count + 1 }));
  }
  const [first, last] = [events[0], events[steps]] as [(typeof events)[number], (typeof events)[number]];
  return () => runWorkflow(workflow, first.with({ count: 0 }), last);
}

export function xstateChain(steps: number): Run {
  const work = fromPromise(async ({ input }: { readonly input: number }) => input + 1);
  const states: Record<string, object> = { end: { type: "final" } };
  for (let index = 0; index < steps; index++) {
    const target = index + 1 < steps ? `step${index + 1}` : "end";
    states[`step${index}`] = {
      invoke: {
        src: work,
        input: ({ context }: { readonly context: Count }) => context.count,
        onDone: { target, actions: assign({ count: ({ event }) => event.output }) },
      },
    };
  }
  const machine = createMachine({ initial: "step0", context: { count: 0 }, states } as never);
  return () => {
    const actor = createActor(machine);
    const done = toPromise(actor);
    actor.start();
    return done;
  };
}
