import { setTimeout } from "node:timers/promises";
import {
  type Context,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  step,
  Workflow,
} from "millrace";
import * as z from "zod";

class Order extends StartEvent.define("Order", { id: z.string() }) {}
class Labelled extends event("Labelled", { label: z.string() }) {}
class Approve extends InputRequiredEvent.define("Approve", { label: z.string() }) {}
class Approval extends HumanResponseEvent.define("Approval", { by: z.string() }) {}

class Shop extends Workflow {
  @step({ on: Order, emits: Labelled })
  async label({ id }: Order, ctx: Context) {
    const label = await ctx.run("print", async () => {
      console.log(`prints the label of ${id}`); // stands for a service that takes its time
      await setTimeout(1_000);
      return `label of ${id}`;
    });
    return new Labelled({ label });
  }

  @step({ on: Labelled, emits: StopEvent, waits: Approval, streams: Approve })
  async ship({ label }: Labelled, ctx: Context) {
    const { by } = await ctx.waitForEvent(Approval, { prompt: new Approve({ label }) });
    return new StopEvent({ result: `${label}, approved by ${by}` });
  }
}

export const workflows = { shop: new Shop() };
