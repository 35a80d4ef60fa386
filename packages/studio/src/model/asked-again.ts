/** What a call of a model is asked when it is made again: what was typed, and what of it differs. */
import type { ForkOptions } from "@millrace/client";
import type { Json } from "../api/json.types.js";
import type { ItemCall } from "./item-calls.js";
import type { ModelCall, ModelMessage } from "./model-call.js";

/** Where a fork begins that makes a call again. */
export interface CallPlace {
  readonly item: number;
  readonly call: string;
  /** The tick before the call. */
  readonly at: number;
}

export interface EditedMessage {
  readonly role: string;
  readonly text: string;
  /** Content that is not a text is edited as JSON. */
  readonly isJson: boolean;
}

/** The fields of the form. */
export interface AskedAgain {
  readonly model: string;
  readonly instructions: string;
  readonly settings: string;
  readonly messages: readonly EditedMessage[];
}

export function placeOfCall(item: number, { call, startedTick }: Pick<ItemCall, "call" | "startedTick">): CallPlace {
  return { item, call, at: startedTick - 1 };
}

/** The form as it opens. */
export function asAsked({ model, instructions, settings, messages }: ModelCall): AskedAgain {
  return {
    model: model ?? "",
    instructions: instructions ?? "",
    settings: JSON.stringify(settings, null, 2),
    messages: messages.map(editedMessage),
  };
}

function editedMessage({ role, content }: ModelMessage): EditedMessage {
  const text = textOf(content);
  return text === null ? { role, text: JSON.stringify(content, null, 2), isJson: true } : { role, text, isJson: false };
}

/** `null` for content that is more than one text. */
function textOf(content: Json): string | null {
  if (typeof content === "string") return content;
  const [part, more] = Array.isArray(content) ? (content as readonly Readonly<Record<string, Json>>[]) : [];
  const isText = more === undefined && part?.["type"] === "text" && Object.keys(part).length === 2;
  return isText && typeof part["text"] === "string" ? part["text"] : null;
}

export interface ReadRequest {
  /** Only what differs from what was asked. */
  readonly value: Readonly<Record<string, Json>>;
  /** Fields whose text is not the JSON that they need: `settings`, or the position of a message. */
  readonly broken: readonly (string | number)[];
}

/** A message whose text is as it was keeps its content. */
export function readRequest(call: ModelCall, form: AskedAgain): ReadRequest {
  const before = asAsked(call);
  const broken: (string | number)[] = [];
  const messages = form.messages.map((message, place) => {
    const known = call.messages[place];
    const was = before.messages[place];
    if (known !== undefined && was?.role === message.role && was.text === message.text) return known;
    const content = message.isJson ? parsed(message.text, Array.isArray) : message.text;
    if (content === undefined) broken.push(place);
    return { role: message.role, content: content ?? "" };
  });
  const settings = form.settings === before.settings ? call.settings : parsed(form.settings, isFields);
  if (settings === undefined) broken.push("settings");
  const value = {
    ...(form.model !== before.model && { model: form.model }),
    ...(form.instructions !== before.instructions && { instructions: form.instructions || null }),
    ...(!isSame(messages, call.messages) && { messages: messages as unknown as Json }),
    ...(settings !== undefined && settings !== call.settings && { settings: changedOf(settings, call.settings) }),
  };
  return { value, broken };
}

function parsed(text: string, fits: (value: unknown) => boolean): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return fits(value) ? value : undefined;
  } catch {
    return undefined; // shown at the field, which stays as it was typed
  }
}

function isFields(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Settings that differ. JSON has no `undefined`, so one that was taken out becomes `null`. */
function changedOf(settings: Json, before: ModelCall["settings"]): Json {
  const now = settings as Readonly<Record<string, Json>>;
  const names = [...new Set([...Object.keys(now), ...Object.keys(before)])];
  const changed = names.filter((name) => !isSame(now[name], before[name]));
  return Object.fromEntries(changed.map((name) => [name, now[name] ?? null]));
}

/** The options of each fork. An id says which call is made again, and which of several runs it is. */
export function askedAgainOptions({ item, call, at }: CallPlace, value: ReadRequest["value"]): ForkOptions {
  return { at, override: { item, call, value } };
}
