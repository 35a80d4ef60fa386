/**
 * Prompts of a run, put to the person behind the client.
 *
 * A client shows a form of plain fields. What the answer is, the workflow says: the one event that people send it. Where there
 * are several, or its fields are no plain ones, nobody is asked, and the prompt stays open.
 *
 * @module
 */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { ElicitRequestFormParams, RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { Log, PendingPrompt } from "millrace";
import { roleOf } from "millrace/engine";
import type { RunHandle } from "millrace/runtime";
import { cleanJson } from "../wire/clean-text.js";
import { eventJsonSchema, type JsonSchema } from "../wire/event-schema.js";
import type { WorkflowFacts } from "../workflow-facts.js";

export interface Asking {
  readonly server: Server;
  readonly facts: WorkflowFacts;
  readonly handle: RunHandle;
  readonly signal: AbortSignal;
  /** The call that the question belongs to: over HTTP it goes to the stream of that call. */
  readonly requestId: RequestId;
  /** For the answer of the person. */
  readonly answerMs: number;
  readonly log: Log;
}

/** True when it has been answered. */
export async function ask(asking: Asking, { promptId, event }: PendingPrompt): Promise<boolean> {
  const { server, facts, handle } = asking;
  const requestedSchema = showsForms(server) ? formOf(facts) : null;
  if (requestedSchema === null) return false;
  const content = await answerOf(asking, {
    message: `${event.type}: ${cleanJson(event.toJSON())}`,
    requestedSchema,
  });
  if (content === null) return false;
  const receipt = await handle.answer(promptId, content);
  return receipt.status === "accepted";
}

/** Null: the person has given none. The prompt stays open then, whatever the reason. */
async function answerOf(asking: Asking, form: ElicitRequestFormParams): Promise<object | null> {
  const { server, signal, requestId, answerMs, log, handle } = asking;
  try {
    const options = { signal, timeout: answerMs, relatedRequestId: requestId };
    const { action, content } = await server.elicitInput(form, options);
    return action === "accept" ? (content ?? {}) : null;
  } catch (error) {
    if (!signal.aborted)
      log.error(`Run "${handle.runId}" has a prompt, and the client could not ask for the answer.`, error);
    return null;
  }
}

/** One that says nothing else shows forms. */
function showsForms(server: Server): boolean {
  const elicitation = server.getClientCapabilities()?.elicitation;
  return elicitation !== undefined && ("form" in elicitation || Object.keys(elicitation).length === 0);
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
