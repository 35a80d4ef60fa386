/** An agent with every kind of tool, for chats. */
import { Agent, tool } from "@millrace/agents";
import * as z from "zod";
import { modelAt } from "./scripted-model.js";

export interface DeskWorld {
  readonly url: string;
  /** Told of each execution. */
  readonly executed?: (line: string) => void;
}

export function desk({ url, executed = () => {} }: DeskWorld): Agent {
  const look = tool({
    name: "look",
    description: "Looks.",
    parameters: z.object({ q: z.number() }),
    execute: ({ q }, { show, idempotencyKey }) => {
      show({ at: q });
      executed(`look ${q} ${idempotencyKey}`);
      return { seen: q };
    },
  });
  const pay = tool({
    name: "pay",
    description: "Pays.",
    parameters: z.object({ n: z.number() }),
    requiresConfirmation: true,
    execute: ({ n }, { idempotencyKey }) => {
      executed(`pay ${n} ${idempotencyKey}`);
      return `paid ${n}`;
    },
  });
  const broken = tool({
    name: "broken",
    description: "Fails.",
    parameters: z.object({}),
    execute: () => {
      throw new TypeError("It is broken.");
    },
  });
  const where = tool({ name: "where", description: "Asks the page.", parameters: z.object({}) });
  return new Agent({ name: "Desk", model: modelAt(url), tools: [look, pay, broken, where], maxRetries: 0 });
}
