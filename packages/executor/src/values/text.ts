import { WorkflowError } from "millrace";

/**
 * Text of a value for a model: text unchanged, other values as JSON indented by two spaces, "" for no value.
 *
 * Maps and sets become objects and lists, errors their message, bytes their number.
 *
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` for a value that contains itself.
 */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value, readable, 2) ?? "";
  } catch (cause) {
    throw new WorkflowError({
      code: "VALUE_UNSERIALIZABLE",
      message: `A value cannot be turned into text: ${messageOf(cause)}`,
      hint: "Return plain data from steps.",
      cause,
    });
  }
}

/** `this` contains the value before its `toJSON`. */
function readable(this: Record<string, unknown>, key: string, json: unknown): unknown {
  const value = this[key];
  if (typeof value === "bigint") return String(value);
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return value.message;
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  return json;
}

/** Recognizes content that is absent. Zero, `false` and empty lists are data. */
export function isEmptyContent(content: unknown): content is undefined | null | "" {
  return content === undefined || content === null || content === "";
}

/** Recognizes an event with a piece of the text of an agent or a team. */
export function isContentEvent({ event }: { readonly event: string }): boolean {
  return event === "RunContent" || event === "TeamRunContent";
}

/** What a thrown value says. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
