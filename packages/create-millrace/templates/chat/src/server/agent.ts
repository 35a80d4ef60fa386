import { Agent, tool } from "@millrace/agents";
import * as z from "zod";
import { model } from "./model.ts";

/** A person allows or refuses each call, in the chat or in the studio, also days later. */
const refund = tool({
  name: "refund",
  description: "Pays an order back.",
  parameters: z.object({ order: z.string(), euros: z.number() }),
  requiresConfirmation: true,
  // Give the key to your payment provider: a call that is repeated after a crash has the same one.
  execute: ({ order, euros }, { idempotencyKey }) => `Paid ${euros} euros for ${order} (${idempotencyKey.slice(-8)}).`,
});

export const support = new Agent({
  name: "Support",
  model,
  instructions: "You help customers of a shop. Pay an order back if it arrived broken.",
  tools: [refund],
});
