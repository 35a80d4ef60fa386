import {
  type Context,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  resource,
  retryPolicy,
  StartEvent,
  StopEvent,
  step,
  Workflow,
} from "millrace";
import * as z from "zod";

export class Order extends StartEvent.define("Order", { euros: z.number().positive() }) {}
export class Checked extends event("Checked", { euros: z.number(), isLarge: z.boolean() }) {}
export class Approve extends InputRequiredEvent.define("Approve", { euros: z.number() }) {}
export class Approval extends HumanResponseEvent.define("Approval", { approved: z.boolean() }) {}

export interface Bank {
  pay(euros: number, idempotencyKey: string): Promise<string>;
}
export const bank = resource(
  "bank",
  (): Bank => ({
    async pay(euros, key) {
      const headers = { "idempotency-key": key };
      const response = await fetch("https://bank.example/payments", { method: "POST", headers, body: String(euros) });
      return response.text();
    },
  }),
);

export class OrderFlow extends Workflow {
  @step({ on: Order, emits: Checked })
  check({ euros }: Order) {
    return new Checked({ euros, isLarge: euros > 100 });
  }

  @step({ on: Checked, emits: StopEvent, waits: Approval, streams: Approve, resources: { bank }, retry: retryPolicy() })
  async pay({ euros, isLarge }: Checked, ctx: Context, resources: { bank: Bank }) {
    if (isLarge) {
      const { approved } = await ctx.waitForEvent(Approval, { prompt: new Approve({ euros }), timeout: "7d" });
      if (!approved) return new StopEvent({ result: "refused" });
    }
    const receipt = await ctx.run("pay", ({ idempotencyKey }) => resources.bank.pay(euros, idempotencyKey));
    return new StopEvent({ result: receipt });
  }
}
