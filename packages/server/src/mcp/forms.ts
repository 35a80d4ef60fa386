/**
 * Forms of open prompts.
 *
 * A client shows a form of plain fields. The form is made from the one event that people can send as the answer. When
 * there are several such events, or fields that are not plain, there is no form and the prompt stays open.
 *
 * @module
 */
import { type PendingPrompt, QuestionEvent, WorkflowError, type WorkflowEvent } from "millrace";
import { roleOf } from "millrace/engine";
import type { AnsweredRecord } from "millrace/wire";
import { refusalError } from "../http/answer-error.js";
import { cleanJson, cleanText } from "../http/clean-text.js";
import { eventJsonSchema, type JsonSchema } from "../wire/event-schema.js";
import type { WorkflowFacts } from "../wire/workflow-facts.js";
import type { Running } from "./mcp-scope.types.js";

/** The part of `ElicitRequestFormParams` that forms of prompts have. */
export interface Form {
  readonly message: string;
  readonly requestedSchema: { type: "object"; properties: Record<string, never>; required?: string[] };
}

/** A client that declares elicitation without a mode shows forms. */
export function showsForms(capabilities: { readonly elicitation?: object | undefined } | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && ("form" in elicitation || Object.keys(elicitation).length === 0);
}

/** `null` for a prompt that no form can answer. */
export function formOf({ event }: PendingPrompt, facts: WorkflowFacts): Form | null {
  const { properties, required } = (answerSchema(event, facts) ?? {}) as Form["requestedSchema"];
  if (properties === undefined || !Object.values(properties).every(isPlain)) return null;
  return {
    message: questionText(event),
    requestedSchema: { type: "object", properties, ...(required && { required }) },
  };
}

/** The same question, which says why the last answer is not taken. */
export function askedAgain({ message, requestedSchema }: Form, problem: string): Form {
  return { requestedSchema, message: `${message}\n\nThat answer does not fit: ${problem}` };
}

export function questionText(event: WorkflowEvent): string {
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

const plainTypes: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

function isPlain({ type }: JsonSchema): boolean {
  return plainTypes.has(type);
}

export interface Refusal {
  readonly code: string;
  readonly text: string;
  /** `true`: the prompt is no longer open. Left out: the answer can be corrected. */
  readonly isClosed?: true;
  /** The answer that counts, if it is known. */
  readonly answered?: AnsweredRecord;
}

/** Codes of answers that the person can correct. With any other code the prompt is closed, or its run has ended. */
const mendable: ReadonlySet<string> = new Set(["EVENT_INVALID", "EVENT_NOT_ACCEPTED", "VALUE_UNSERIALIZABLE"]);

/** Who has answered it, as far as that is known, and when. */
function closedBy(receipt: Parameters<typeof refusalError>[0]): Refusal {
  const { code, detail, answered } = refusalError(receipt).options;
  return { code, text: cleanText(detail), isClosed: true, ...(answered !== undefined && { answered }) };
}

/** Sends the answer; returns why it is refused, or `null` when the run has accepted it. */
export async function refusalOf(
  { handle, by }: Pick<Running, "handle" | "by">,
  promptId: string,
  content: object,
): Promise<Refusal | null> {
  try {
    const receipt = await handle.answer(promptId, content, { by });
    if (receipt.status === "accepted") return null;
    if (!mendable.has(receipt.code)) return closedBy(receipt);
    return { code: receipt.code, text: cleanText(receipt.hint || receipt.code) };
  } catch (error) {
    if (!WorkflowError.is(error) || !mendable.has(error.code)) throw error;
    return { code: error.code, text: cleanText(error.message) };
  }
}
