// The state of a run: open and typed, one field and whole, over several runs. `pnpm --filter ./examples typed-state`
import { Context, HumanResponseEvent, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

/** Without a schema the state is an open record, and what you read is `unknown`. */
export class OpenCounter extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  async count(_ev: StartEvent, ctx: Context) {
    const count = Number(await ctx.store.get("count", 0)) + 1;
    await ctx.store.set("count", count);
    return new StopEvent({ result: count });
  }
}

/** `editState` reads, changes and writes as one: nobody else edits in between, and a throw changes nothing. */
export class AtomicCounter extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  async count(_ev: StartEvent, ctx: Context) {
    const count = await ctx.store.editState((state) => {
      const next = Number(state["count"] ?? 0) + 1;
      state["count"] = next;
      return next;
    });
    return new StopEvent({ result: count });
  }
}

const CounterState = z.object({
  count: z.number().default(0),
  names: z.array(z.string()).default([]),
});
interface CounterState extends z.output<typeof CounterState> {}

/** With a schema, paths and values are typed, and every commit is checked. Each field has a default: a run starts from nothing. */
export class TypedCounter extends Workflow.withState(CounterState) {
  @step({ on: StartEvent, emits: StopEvent })
  async count(ev: StartEvent, ctx: Context<CounterState>) {
    const current = await ctx.store.get("count"); // number
    await ctx.store.set("count", current + 1);
    await ctx.store.editState((state) => void state.names.push(String(ev.get("name"))));
    return new StopEvent({ result: await ctx.store.getState() });
  }
}

export class Amount extends HumanResponseEvent.define("Amount", { cents: z.number().int() }) {}

/** An amount of money: a class of your own, which the workflow has to know how to store. */
export class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
  plus(cents: number): Money {
    return new Money(this.cents + cents);
  }
}

const money = {
  name: "Money",
  is: (value: unknown) => value instanceof Money,
  encode: (value: Money) => value.cents,
  decode: (json: unknown) => new Money(z.number().parse(json)),
};

const PurseState = z.object({ total: z.instanceof(Money).default(() => new Money(0)) });
interface PurseState extends z.output<typeof PurseState> {}

/** Waits for two amounts; can be snapshot and resumed in between. */
export class Purse extends Workflow.withState(PurseState) {
  constructor() {
    super({ types: [money] });
  }

  @step({ on: StartEvent, emits: StopEvent, waits: Amount })
  async fill(_ev: StartEvent, ctx: Context<PurseState>) {
    for (const key of ["first", "second"]) {
      const { cents } = await ctx.waitForEvent(Amount, { key });
      // Not `get` and `set`: after a restore the step runs again, and an edit counts once.
      await ctx.store.editState((state) => {
        state.total = state.total.plus(cents);
      });
    }
    const total = await ctx.store.get("total");
    return new StopEvent({ result: total.cents });
  }
}

async function open() {
  console.log("open record:", await new OpenCounter().run());
  console.log("edited as one:", await new AtomicCounter().run());
}

/** A context carries the state from one run to the next. */
async function severalRuns() {
  const workflow = new TypedCounter();
  const context = new Context(workflow);
  console.log("first run:", await workflow.run({ name: "Ada" }, { context }));
  console.log("second run:", await workflow.run({ name: "Grace" }, { context }));

  const stored = JSON.stringify(context.toDict());
  const restored = Context.fromDict(workflow, JSON.parse(stored));
  console.log("third run, after a restore:", await workflow.run({ name: "Edith" }, { context: restored }));
}

/** A context whose run still goes on is continued: `run` sends no second start event. */
async function resumed() {
  const workflow = new Purse();
  const handler = workflow.run();
  await handler.sendEvent(new Amount({ cents: 150 }));
  await handler.idle();

  const stored = JSON.stringify(handler.context.toDict());
  const restored = Context.fromDict(workflow, JSON.parse(stored));
  const continued = workflow.run(undefined, { context: restored });
  await continued.sendEvent(new Amount({ cents: 50 }));
  console.log("cents in the purse:", await continued);
}

if (import.meta.main) {
  await open();
  await severalRuns();
  await resumed();
}
