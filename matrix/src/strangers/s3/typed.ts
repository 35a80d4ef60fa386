/** `Context[CounterState]`, by the table of the page. */
import { type Context, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

const CounterState = z.object({ count: z.number().default(0) });

class Counter extends Workflow.withState(CounterState) {
  @step({ on: StartEvent, emits: StopEvent })
  async count(_ev: StartEvent, ctx: Context<z.output<typeof CounterState>>) {
    await ctx.store.editState((state) => {
      state.count += 1;
    });
    return new StopEvent({ result: await ctx.store.get("count") });
  }
}

console.log(`typed: ${await new Counter().run()}`);
