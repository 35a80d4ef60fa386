/**
 * Asks the person behind the client about the prompts of a run.
 *
 * A client shows a form of plain fields. The form is made from the one event that people can send as the answer. When
 * there are several such events, or fields that are not plain, no question is asked and the prompt stays open.
 *
 * @module
 */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { type ElicitRequestFormParams, ErrorCode, McpError, type RequestId } from "@modelcontextprotocol/sdk/types.js";
import { type Log, type PendingPrompt, QuestionEvent, WorkflowError, type WorkflowEvent } from "millrace";
import { roleOf } from "millrace/engine";
import type { RunHandle } from "millrace/runtime";
import { cleanJson, cleanText } from "../http/clean-text.js";
import { eventJsonSchema, type JsonSchema } from "../wire/event-schema.js";
import type { WorkflowFacts } from "../wire/workflow-facts.js";

export interface Asking {
  readonly server: Server;
  readonly facts: WorkflowFacts;
  readonly handle: RunHandle;
  readonly signal: AbortSignal;
  /** Id of the tool call. Over HTTP, the question goes to the stream of that call. */
  readonly requestId: RequestId;
  /** How long to wait for the person, in milliseconds. */
  readonly answerMs: number;
  readonly log: Log;
  /** Prompts that were declined; they are not put to the person again. */
  readonly declined: Set<string>;
}

/** How often a person is asked whose answers are invalid. */
const mostTries = 3;

/** Returns `false` if the prompt stays open and will not be answered here. */
export async function ask(asking: Asking, { promptId, event }: PendingPrompt): Promise<boolean> {
  const { server, facts } = asking;
  const requestedSchema = showsForms(server) ? formOf(answerSchema(event, facts)) : null;
  if (requestedSchema === null || asking.declined.has(promptId)) return false;
  const question = questionText(event);
  let message = question;
  for (let tries = 0; tries < mostTries; tries++) {
    const answer = await answerOf(asking, { message, requestedSchema });
    if (answer === null) return false;
    if (answer === "declined") {
      asking.declined.add(promptId);
      return false;
    }
    const problem = "problem" in answer ? answer.problem : await refusalOf(asking, promptId, answer.content);
    if (problem === null) return true;
    message = `${question}\n\nThat answer does not fit: ${problem}`;
  }
  return false;
}

type Answer = { readonly content: object } | { readonly problem: string };

/** Returns `null` if the person does not answer, for any reason; the prompt stays open. */
async function answerOf(asking: Asking, form: ElicitRequestFormParams): Promise<Answer | "declined" | null> {
  const { server, signal, requestId, answerMs, log, handle } = asking;
  try {
    const options = { signal, timeout: answerMs, relatedRequestId: requestId };
    const { action, content } = await server.elicitInput(form, options);
    if (action !== "accept") return action === "decline" ? "declined" : null;
    const isEmptyForm = Object.keys(form.requestedSchema.properties).length === 0;
    return content === undefined && !isEmptyForm ? { problem: "it is empty." } : { content: content ?? {} };
  } catch (error) {
    if (signal.aborted) return null;
    // The SDK has checked the answer against the form and refused it.
    if (error instanceof McpError && error.code === ErrorCode.InvalidParams)
      return { problem: cleanText(error.message) };
    log.error(`Run "${handle.runId}" has a prompt, and the client could not ask for the answer.`, error);
    return null;
  }
}

/** Codes of answers that the person can correct. With any other code the prompt is closed, or its run has ended. */
const mendable: ReadonlySet<string> = new Set(["EVENT_INVALID", "EVENT_NOT_ACCEPTED", "VALUE_UNSERIALIZABLE"]);

/** Sends the answer; returns the reason of a refusal, or `null` when the run has accepted this answer or another one. */
async function refusalOf({ handle }: Asking, promptId: string, content: object): Promise<string | null> {
  try {
    const receipt = await handle.answer(promptId, content, { by: { door: "mcp" } });
    const isMendable = receipt.status === "refused" && mendable.has(receipt.code);
    return isMendable ? cleanText(receipt.hint || receipt.code) : null;
  } catch (error) {
    if (!WorkflowError.is(error) || !mendable.has(error.code)) throw error;
    return cleanText(error.message);
  }
}

/** A client that declares elicitation without a mode shows forms. */
export function showsForms(server: Server): boolean {
  const elicitation = server.getClientCapabilities()?.elicitation;
  return elicitation !== undefined && ("form" in elicitation || Object.keys(elicitation).length === 0);
}

type Form = ElicitRequestFormParams["requestedSchema"];

function questionText(event: WorkflowEvent): string {
  if (!QuestionEvent.is(event)) return `${event.type}: ${cleanJson(event.toJSON())}`;
  const { title, details } = event;
  if (details === undefined) return cleanText(title);
  return `${cleanText(title)}\n\n${typeof details === "string" ? cleanText(details) : cleanJson(details)}`;
}

/** `null`: several events could answer. */
function answerSchema(event: WorkflowEvent, { events }: WorkflowFacts): JsonSchema | null {
  if (QuestionEvent.is(event)) return event.schema;
  const answers = [...events.values()].filter((eventClass) => roleOf(eventClass) === "humanResponse");
  const [only, ...others] = answers;
  return only === undefined || others.length > 0 ? null : eventJsonSchema(only);
}

function formOf(schema: JsonSchema | null): Form | null {
  const { properties, required } = (schema ?? {}) as { properties?: Record<string, JsonSchema>; required?: string[] };
  if (properties === undefined || !Object.values(properties).every(isPlain)) return null;
  return { type: "object", properties, ...(required && { required }) } as Form;
}

const plainTypes: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

function isPlain({ type }: JsonSchema): boolean {
  return plainTypes.has(type);
}
