import {
  type Context,
  catchError,
  collect,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  StartEvent,
  StopEvent,
  step,
  Workflow,
} from "millrace";
import * as z from "zod";

class Order extends StartEvent.define("Order", { items: z.array(z.string()).default(["pen", "ink"]) }) {}
class Item extends event("Item", { name: z.string() }) {}
class Priced extends event("Priced", { euros: z.number() }) {}
class Total extends event("Total", { euros: z.number() }) {}
class Approve extends InputRequiredEvent.define("Approve", { euros: z.number() }) {}
class Decision extends HumanResponseEvent.define("Decision", {
  approved: z.boolean(),
  by: z.enum(["Ada", "Bob"]).optional(),
}) {}

export class OrderFlow extends Workflow {
  @step({ on: Order, emits: many(Item) })
  split(ev: Order) {
    return ev.items.map((name) => new Item({ name }));
  }

  @step({ on: Item, emits: Priced })
  price(ev: Item) {
    return new Priced({ euros: ev.name.length });
  }

  @step({ on: collect(Priced), emits: Total })
  sum(all: readonly Priced[]) {
    return new Total({ euros: all.reduce((sum, { euros }) => sum + euros, 0) });
  }

  @step({ on: Total, emits: StopEvent, waits: Decision, streams: Approve })
  async approve({ euros }: Total, ctx: Context) {
    const { approved } = await ctx.waitForEvent(Decision, { prompt: new Approve({ euros }) });
    return new StopEvent({ result: approved ? euros : null });
  }

  @catchError({ steps: ["price"], emits: Priced })
  unpriced() {
    return new Priced({ euros: 0 });
  }
}
