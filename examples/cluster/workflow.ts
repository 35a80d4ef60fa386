import { setTimeout } from "node:timers/promises";
import { type Context, event, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

export const parts = 8;

class Begin extends StartEvent.define("Begin", {}) {}
class Part extends event("Part", { number: z.number() }) {}
/** Streamed when a part is done: who has done it. */
export class PartDone extends event("PartDone", { number: z.number(), worker: z.string() }) {}

/** Some slow work in parts, each of which is recorded. */
export class SlowFlow extends Workflow {
  static override readonly name = "SlowFlow";
  readonly #worker: string;

  constructor(worker: string) {
    super();
    this.#worker = worker;
  }

  @step({ on: Begin, emits: Part })
  begin() {
    return new Part({ number: 1 });
  }

  @step({ on: Part, emits: [Part, StopEvent], streams: PartDone })
  async work({ number }: Part, ctx: Context) {
    const worker = await ctx.run("work", async () => {
      await setTimeout(300 + Math.random() * 300); // stands for slow work, such as a model
      return this.#worker;
    });
    ctx.writeEventToStream(new PartDone({ number, worker }));
    return number < parts ? new Part({ number: number + 1 }) : new StopEvent({ result: worker });
  }
}
