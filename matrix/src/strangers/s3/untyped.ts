/** The first example of managing state in Python: a state without a schema. */
import { type Context, StartEvent, StopEvent, step, Workflow } from "millrace";

class Counter extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  async count(_ev: StartEvent, ctx: Context) {
    await ctx.store.set("count", (await ctx.store.get("count", 0)) + 1);
    await ctx.store.editState((state) => {
      state.count = Number(state.count) + 1;
    });
    return new StopEvent({ result: await ctx.store.get("count", 0) });
  }
}

console.log(`untyped: ${await new Counter().run()}`);
