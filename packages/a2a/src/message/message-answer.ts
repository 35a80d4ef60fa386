/**
 * What a message means for a task that needs input: the answer to one of its questions.
 *
 * @module
 */
import type { Message } from "@a2a-js/sdk";
import { malformed } from "../wire/errors.js";
import { type Fields, isFields } from "../wire/parts.js";
import { readParts } from "./message-input.js";
import type { QuestionData } from "./question.types.js";

export interface MessageAnswer {
  readonly promptId: string;
  readonly fields: Fields;
}

/**
 * @param open The open questions. Where there is none, the message may be one that has come before.
 * @throws {HttpError} `BODY_INVALID`, `PART_UNSUPPORTED`
 */
export function readAnswer(message: Message, open: readonly QuestionData[]): MessageAnswer {
  const { text, data } = readParts(message);
  const named = promptIdOf(message);
  const [only] = open;
  if (named === null && open.length > 1) throw severalOpen(open);
  const question = named === null ? only : open.find(({ promptId }) => promptId === named);
  const promptId = named ?? only?.promptId ?? "";
  const isData = message.parts.some(({ content }) => content?.$case === "data");
  if (isData || question === undefined) return { promptId, fields: isData ? data : { text } };
  return { promptId, fields: fieldsOfText(text, question) };
}

/** Of the message, or of one of its parts. */
function promptIdOf({ metadata, parts }: Message): string | null {
  for (const given of [metadata, ...parts.map((part) => part.metadata)]) {
    const id = isFields(given) ? given["promptId"] : undefined;
    if (typeof id === "string") return id;
  }
  return null;
}

/** A text answers a question with one field. */
function fieldsOfText(text: string, { schema, title }: QuestionData): Fields {
  const properties = isFields(schema?.["properties"]) ? schema["properties"] : {};
  const [name, ...others] = Object.keys(properties);
  const value = name === undefined || others.length > 0 ? undefined : meaningOf(text.trim(), properties[name]);
  if (name === undefined || value === undefined)
    throw malformed(
      `The question ${JSON.stringify(title)} is not answered by this text.`,
      `Send a data part that fits ${JSON.stringify(schema)}.`,
    );
  return { [name]: value };
}

const words: Readonly<Record<string, boolean>> = { yes: true, true: true, no: false, false: false };

/** `undefined`: the text does not say it. */
function meaningOf(text: string, schema: unknown): string | number | boolean | undefined {
  switch (isFields(schema) ? schema["type"] : undefined) {
    case "string":
      return text;
    case "boolean":
      return Object.hasOwn(words, text.toLowerCase()) ? words[text.toLowerCase()] : undefined;
    case "number":
    case "integer":
      return text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
    default:
      return undefined;
  }
}

function severalOpen(open: readonly QuestionData[]): Error {
  const names = open.map(({ promptId, title }) => `${promptId} (${title})`).join(", ");
  return malformed(
    `The task asks ${open.length} questions: ${names}.`,
    "Name one in `metadata.promptId` of the message.",
  );
}
