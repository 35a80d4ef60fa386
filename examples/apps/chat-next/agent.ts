/** An agent that pays orders back, once a person has allowed it. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent, tool } from "@millrace/agents";
import * as z from "zod";

/** Any model that speaks the API of OpenAI. Without settings, the script of `npm run model`. */
const { MODEL_URL = "http://127.0.0.1:4000/v1", MODEL = "script", MODEL_KEY = "none" } = process.env;
const provider = createOpenAICompatible({ name: "model", baseURL: MODEL_URL, apiKey: MODEL_KEY });

const refund = tool({
  name: "refund",
  description: "Pays an order back.",
  parameters: z.object({ order: z.string(), euros: z.number() }),
  requiresConfirmation: true, // a person allows each call, in the chat
  // Give the key to your payment provider: a call that is repeated after a crash has the same one.
  execute: ({ order, euros }, { idempotencyKey }) => `Paid ${euros} euros for ${order} (${idempotencyKey.slice(-8)}).`,
});

export const support = new Agent({
  name: "Support",
  model: provider(MODEL),
  instructions: "You help customers of a shop. Pay an order back if it arrived broken.",
  tools: [refund],
});
