import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Context, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

class Counter extends Workflow.withState({ count: z.number().default(0) }) {}

export class FlakyFlow extends Counter {
  @step({ on: StartEvent, emits: StopEvent })
  async work(_ev: StartEvent, ctx: Context<{ count: number }>) {
    const file = join(import.meta.dirname, "fixed");
    if (!existsSync(file)) throw new Error("It is not fixed yet.");
    await ctx.store.editState((state) => {
      state.count += 1;
    });
    return new StopEvent({ result: readFileSync(file, "utf8") });
  }
}
