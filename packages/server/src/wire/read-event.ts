/**
 * Reads events from outside. Their classes come only from the workflow's own.
 *
 * @module
 */

import { type EventClass, WorkflowError, type WorkflowEvent } from "millrace";
import {
  type CompiledWorkflow,
  decodeValue,
  eventFromFields,
  mayHoldMoments,
  schemasOf,
  withMoments,
} from "millrace/engine";
import type { RunHandle } from "millrace/runtime";
import type { AnswerBody, StartBody } from "millrace/wire";
import { type Fields, isObject, parseJson } from "../http/guard-json.js";
import { bodyInvalid } from "../http/http-error.js";
import { answerSchemaOf } from "./handler-record.js";
import type { WorkflowFacts } from "./workflow-facts.js";

export interface ReadOptions {
  readonly facts: WorkflowFacts;
  /** Maximum nesting depth of JSON that is text inside JSON. */
  readonly maxDepth: number;
}

/** @throws {WorkflowError} `EVENT_UNKNOWN`, `EVENT_NOT_SENDABLE`, `EVENT_INVALID`; {HttpError} `BODY_INVALID` */
export function readEvent(given: string | Fields, { facts, maxDepth }: ReadOptions): WorkflowEvent {
  const sent = typeof given === "string" ? fieldsOf(parseJson(given, maxDepth), "`event`") : given;
  const type = sent["type"];
  if (typeof type !== "string") throw bodyInvalid("`event` is no envelope: it has no `type`.");
  const eventClass = facts.events.get(type);
  if (eventClass === undefined) throw eventUnknown(type, facts.name, facts.posted);
  if (!facts.posted.has(type)) throw notFromOutside(type, facts);
  return eventFromFields(eventClass, readFields(sent, eventClass, facts));
}

/** Reads the input of a run: the fields of its start event, or the event. */
export function readStart({ start_event, kwargs }: StartBody, { facts, maxDepth }: ReadOptions): unknown {
  const given = start_event ?? kwargs ?? {};
  const sent = typeof given === "string" ? fieldsOf(parseJson(given, maxDepth), "`start_event`") : given;
  if (isWithMeta(sent, facts.compiled)) return readMeta(sent["value"], sent["meta"], facts);
  const { startClasses } = facts.compiled;
  if (!isEnvelope(sent))
    return startClasses.length === 1 ? plainFields(sent, startClasses[0] as EventClass, facts) : sent;
  const type = sent["type"] ?? startClasses[0]?.type;
  const eventClass = startClasses.find((start) => start.type === type);
  if (eventClass === undefined)
    throw eventUnknown(
      String(type),
      facts.name,
      startClasses.map((start) => start.type),
    );
  return eventFromFields(eventClass, readFields(sent, eventClass, facts));
}

/** Restores values that JSON cannot hold. */
export function readMeta(json: unknown, meta: unknown, { types }: WorkflowFacts): unknown {
  return meta === undefined || meta === null ? json : decodeValue({ json, meta }, "The body", types);
}

/**
 * Recognizes an envelope: `type` is reserved, so no field has this name. Without it, the qualified name identifies an
 * envelope.
 */
function isEnvelope(sent: Fields): boolean {
  const isNamed = typeof sent["type"] === "string" || typeof sent["qualified_name"] === "string";
  return isNamed && valueIn(sent) !== undefined;
}

/** Recognizes `{ value, meta }`: fields of which some are not JSON. The runtime finds the class, as for plain fields. */
function isWithMeta({ value, meta, ...others }: Fields, { startClasses }: CompiledWorkflow): boolean {
  if (Object.keys(others).length > 0 || !isObject(value) || typeof meta !== "object" || meta === null) return false;
  return !startClasses.some((start) => schemasOf(start).fields.has("value")); // otherwise `value` is a field
}

function valueIn(sent: Fields): unknown {
  return sent["value"] ?? sent["data"];
}

function readFields(sent: Fields, eventClass: EventClass, facts: WorkflowFacts): Fields {
  const value = fieldsOf(valueIn(sent) ?? {}, `\`value\` of the event "${eventClass.type}"`);
  if (sent["meta"] == null) return plainFields(value, eventClass, facts);
  return fieldsOf(readMeta(value, sent["meta"], facts), "`value`");
}

/** Fields of JSON alone: a text is a `Date` where the event has one. */
function plainFields(fields: Fields, eventClass: EventClass, { schemaOf }: WorkflowFacts): Fields {
  if (schemaOf === null || !mayHoldMoments(fields)) return fields;
  return withMoments(schemaOf(eventClass), fields) as Fields;
}

interface AnswerSource {
  readonly handle: Pick<RunHandle, "prompts">;
  readonly promptId: string;
  readonly facts: WorkflowFacts;
}

/** Reads the fields of an answer. The schema of a question is read only where a text may be a `Date`. */
export async function readAnswer(
  { fields, meta }: AnswerBody,
  { handle, promptId, facts }: AnswerSource,
): Promise<object> {
  const given = readMeta(fields ?? {}, meta, facts) as object;
  if (meta != null || !mayHoldMoments(given)) return given;
  const prompt = (await handle.prompts()).find((one) => one.promptId === promptId);
  const schema = prompt === undefined ? null : answerSchemaOf(prompt, facts);
  return schema === null ? given : (withMoments(schema, given) as object);
}

function fieldsOf(value: unknown, what: string): Fields {
  if (isObject(value)) return value;
  throw bodyInvalid(`${what} is not an object.`);
}

function eventUnknown(type: string, workflow: string, known: Iterable<string>): WorkflowError {
  return new WorkflowError({
    code: "EVENT_UNKNOWN",
    message: `Workflow "${workflow}" has no event of the type ${JSON.stringify(type)}.`,
    hint: takes(known),
    details: { event: type },
  });
}

function notFromOutside(type: string, { name, posted }: WorkflowFacts): WorkflowError {
  return new WorkflowError({
    code: "EVENT_NOT_SENDABLE",
    message: `Workflow "${name}" does not accept ${type} from outside.`,
    hint: `${takes(posted)} Its other events are sent by its own steps.`,
    details: { event: type },
  });
}

function takes(types: Iterable<string>): string {
  return `It takes ${[...types].join(", ") || "none"}.`;
}
