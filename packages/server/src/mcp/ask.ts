/**
 * Prompts of a run, put to the person behind the client.
 *
 * A client shows a form of plain fields. What the answer is, the workflow says: the one event that people send it. Where there
 * are several, or its fields are no plain ones, nobody is asked, and the prompt stays open.
 *
 * @module
 */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { ElicitRequestFormParams } from "@modelcontextprotocol/sdk/types.js";
import type { PendingPrompt } from "millrace";
import { roleOf } from "millrace/engine";
import type { RunHandle } from "millrace/runtime";
import { eventJsonSchema, type JsonSchema } from "../wire/event-schema.js";
import type { WorkflowFacts } from "../workflow-facts.js";

export interface Asking {
  readonly server: Server;
  readonly facts: WorkflowFacts;
  readonly handle: RunHandle;
  readonly signal: AbortSignal;
  /** For the answer of the person. */
  readonly answerMs: number;
}

/** True when it has been answered. */
export async function ask(asking: Asking, { promptId, event }: PendingPrompt): Promise<boolean> {
  const { server, facts, handle, signal, answerMs } = asking;
  const requestedSchema = server.getClientCapabilities()?.elicitation === undefined ? null : formOf(facts);
  if (requestedSchema === null) return false;
  const message = `${event.type}: ${JSON.stringify(event.toJSON())}`;
  const { action, content } = await server.elicitInput({ message, requestedSchema }, { signal, timeout: answerMs });
  if (action !== "accept") return false;
  const receipt = await handle.answer(promptId, content ?? {});
  return receipt.status === "accepted";
}

type Form = ElicitRequestFormParams["requestedSchema"];

function formOf({ events }: WorkflowFacts): Form | null {
  const answers = [...events.values()].filter((eventClass) => roleOf(eventClass) === "humanResponse");
  const [only, ...others] = answers;
  if (only === undefined || others.length > 0) return null;
  const { properties, required } = eventJsonSchema(only) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  if (properties === undefined || !Object.values(properties).every(isPlain)) return null;
  return { type: "object", properties, ...(required && { required }) } as Form;
}

const plainTypes: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

function isPlain({ type }: JsonSchema): boolean {
  return plainTypes.has(type);
}
