/** The agent: two tools, one of which a person has to allow. */
import { appendFileSync } from "node:fs";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent, tool } from "@millrace/agents";
import * as z from "zod";

const known: Readonly<Record<string, string>> = {
  "longest river": "The Nile is 6,650 km long, says one source; the Amazon 6,400.",
  "widest river": "The Amazon is up to 40 km wide in the rainy season.",
};

/** @param bill Gets a line for each tool that has run. */
export function researcherAt(modelUrl: string, bill: string): Agent {
  const search = tool({
    name: "search",
    description: "Searches for facts.",
    parameters: z.object({ query: z.string() }),
    execute: ({ query }, { idempotencyKey }) => {
      appendFileSync(bill, `search(${query}) ${idempotencyKey}\n`);
      return known[query] ?? "Nothing is known about that.";
    },
  });
  const publish = tool({
    name: "publish",
    description: "Publishes a note for everybody to read.",
    parameters: z.object({ note: z.string() }),
    requiresConfirmation: true,
    execute: ({ note }, { idempotencyKey }) => {
      appendFileSync(bill, `publish(${note}) ${idempotencyKey}\n`);
      return "It is published.";
    },
  });
  return new Agent({
    name: "Researcher",
    model: createOpenAI({ baseURL: modelUrl, apiKey: "none" }).chat("scripted"),
    instructions: "Search for facts, publish what you have found, and say what you did.",
    tools: [search, publish],
  });
}
