/** A support desk: an agent reads the letter, and pays small orders back by itself. A person decides about large ones. */
import { Agent, tool } from "@millrace/agents";
import type { LanguageModel } from "ai";
import { type Context, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";
import { model as usualModel } from "./model.js";

/** Your shop and your payment provider. */
export interface Shop {
  priceOf(order: string): Promise<number>;
  /** Called with one key at least once: a provider that knows the key pays once. */
  pay(order: string, euros: number, idempotencyKey: string): Promise<void>;
}

class Letter extends StartEvent.define("Letter", { from: z.string(), text: z.string() }) {}
class Reply extends StopEvent.define("Reply", { to: z.string(), text: z.string() }) {}

const Desk = z.object({ paid: z.number().default(0) });
interface Desk extends z.output<typeof Desk> {}

export function supportDesk(shop: Shop, model: LanguageModel = usualModel) {
  const order = tool({
    name: "order",
    description: "Finds an order by its number.",
    parameters: z.object({ id: z.string() }),
    execute: async ({ id }) => ({ id, euros: await shop.priceOf(id) }),
  });
  const refund = tool({
    name: "refund",
    description: "Pays an order back.",
    parameters: z.object({ order: z.string(), euros: z.number() }),
    requiresConfirmation: { when: ({ euros }) => euros > 50, timeout: "7d", otherwise: "refuse" },
    execute: async ({ order: id, euros }, { idempotencyKey }) => {
      await shop.pay(id, euros, idempotencyKey);
      return `refunded ${euros} euros`;
    },
  });
  const clerk = new Agent({
    name: "Clerk",
    model,
    instructions:
      "You answer letters of customers of a shop. Pay an order back if it arrived broken. Be kind and brief.",
    tools: [order, refund],
  });

  class SupportDesk extends Workflow.withState(Desk) {
    @step({ on: Letter, emits: Reply })
    async answer({ from, text }: Letter, ctx: Context<Desk>) {
      const { content } = await clerk.run(text, { ctx }); // each call of the model and of a tool is recorded
      return ctx.finish((state) => {
        if (/paid/.test(content)) state.paid += 1;
        return new Reply({ to: from, text: content });
      });
    }
  }

  return SupportDesk;
}

const prices: Readonly<Record<string, number>> = { "A-17": 20, "B-2": 480 };
const SupportDesk = supportDesk({
  priceOf: async (id) => prices[id] ?? 0,
  pay: async (id, euros, key) => console.log(`paid ${euros} euros for ${id}, key ${key.slice(-8)}`),
});

export const desk = new SupportDesk();
