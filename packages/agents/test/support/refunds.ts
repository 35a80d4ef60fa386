import { z } from "zod";
import { type AgentTool, type ExecutorRequest, tool } from "../../src/index.js";

/** Needs a person. Keeps what it did, and with which key, in the state. */
export const refund: AgentTool = tool({
  name: "refund",
  description: "Pay money back.",
  parameters: z.object({ order: z.number() }),
  requiresConfirmation: true,
  execute: ({ order }, { sessionState, idempotencyKey }) => {
    sessionState["refunds"] = [...((sessionState["refunds"] as number[] | undefined) ?? []), order];
    sessionState["keys"] = [...((sessionState["keys"] as string[] | undefined) ?? []), idempotencyKey];
    return `Refunded ${order}`;
  },
});

/** Needs nobody. */
export const look: AgentTool = tool({
  name: "look",
  description: "Look an order up.",
  parameters: z.object({ order: z.number() }),
  execute: ({ order }) => `Order ${order}`,
});

export function request(more: Partial<ExecutorRequest> = {}): ExecutorRequest {
  return {
    input: "Refund it",
    sessionState: {},
    signal: new AbortController().signal,
    idempotencyKey: "run-1/step-1",
    ...more,
  };
}

export const allow = (...ids: readonly string[]) =>
  ids.map((toolCallId) => ({ toolCallId, approved: true, note: null }));

export const deny = (toolCallId: string, note: string | null) => ({ toolCallId, approved: false, note });

/** What a store makes of it. */
export const stored = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;
