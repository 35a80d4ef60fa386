/**
 * What a message means for a workflow: the fields of its start event.
 *
 * A data part has the fields. A text is the field that takes text: `input`, `message` and the like, or the only one that is
 * text and has to be given.
 *
 * @module
 */
import type { Message } from "@a2a-js/sdk";
import { anyEventJsonSchema, HttpError, type JsonSchema, type WorkflowFacts } from "@millrace/server/door";
import { malformed } from "../wire/errors.js";
import { dataOf, type Fields, isFields, textOf } from "../wire/parts.js";

/** A message that begins a task. */
export interface TaskMessage {
  readonly message: Message;
  /** The text parts of the message. */
  readonly text: string;
  /** The fields of its data parts. */
  readonly data: Fields;
  readonly contextId: string;
  /** `""` for a caller without a tenant. */
  readonly tenant: string;
  /** Name of the workflow. */
  readonly skill: string;
}

/** Texts and fields of a message. @throws {HttpError} `PART_UNSUPPORTED`, `BODY_INVALID` */
export function readParts({ parts }: Message): Pick<TaskMessage, "text" | "data"> {
  for (const { content } of parts)
    if (content?.$case !== "text" && content?.$case !== "data") throw partUnsupported(content?.$case);
  const data = dataOf(parts);
  if (!data.every(isFields)) throw malformed("A data part of the message is not an object.");
  return { text: textOf(parts), data: Object.assign({}, ...data) as Fields };
}

/** The input of a workflow, where the options have no function for it. */
export function workflowInput({ text, data, contextId, skill }: TaskMessage, facts: WorkflowFacts): Fields {
  const fields = fieldsOf(facts);
  const session = ["sessionId", "session_id"].find((name) => fields.all.includes(name));
  const given = { ...(session !== undefined && { [session]: contextId }), ...data };
  if (text === "") return given;
  const field = fields.text;
  if (field === null) throw textNotTaken(skill, fields.all);
  return Object.hasOwn(data, field) ? given : { ...given, [field]: text };
}

interface StartFields {
  readonly all: readonly string[];
  /** The field that takes the text of a message; `null` for none. */
  readonly text: string | null;
}

const usual = ["input", "message", "text", "prompt", "question", "query"];

/** The fields of the start event. Of several start events, none takes text. */
export function fieldsOf({ compiled }: WorkflowFacts): StartFields {
  const { properties = {}, required = [] } = anyEventJsonSchema(compiled.startClasses) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  const all = Object.keys(properties);
  const takesText = (name: string): boolean => [undefined, "string"].includes(properties[name]?.["type"] as never);
  const needed = required.filter((name) => properties[name]?.["type"] === "string");
  const named = usual.find((name) => all.includes(name) && takesText(name));
  return { all, text: named ?? (needed.length === 1 ? (needed[0] as string) : null) };
}

function textNotTaken(skill: string, fields: readonly string[]): HttpError {
  const detail = `The skill "${skill}" takes no text.`;
  return malformed(
    detail,
    `Send a data part with the fields ${fields.join(", ") || "{}"}: the agent card has its schema.`,
  );
}

function partUnsupported(kind = "no content"): HttpError {
  return new HttpError({
    status: 415,
    code: "PART_UNSUPPORTED",
    detail: `A part of the message has ${kind}, which this agent does not take.`,
    hint: "Send text and data parts.",
  });
}
