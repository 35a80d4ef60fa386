/** What a tick says to a person: events by their type, errors by their message, and nothing that is empty. */
import { readableCall } from "millrace/engine";

type Fields = Readonly<Record<string, unknown>>;

export function tickText(tick: Fields): string {
  return Object.entries(tick)
    .filter(([name, value]) => !unsaid.has(name) && !isEmpty(value))
    .map(
      ([name, value]) =>
        `${words.has(name) ? "" : `${name}=`}${name === "call" ? readableCall(String(value)) : textOf(value)}`,
    )
    .filter((text) => text !== "")
    .join("  ");
}

/** Of the engine: how values are stored, and which attempt it is, which the list of steps has. */
const unsaid: ReadonlySet<string> = new Set(["meta", "attempt", "elapsedMs", "ticket", "labels", "lineage", "shown"]);
/** Fields whose value says what it is. */
const words: ReadonlySet<string> = new Set(["event", "output", "prompt", "error", "call"]);

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (isEvent(value)) return isEmpty(value.data) ? value.type : `${value.type} ${JSON.stringify(value.data)}`;
  if (isError(value))
    return value.code === undefined ? `${value.name}: ${value.message}` : `${value.code}: ${value.message}`;
  if (Array.isArray(value) && value.every(isEvent)) return value.map(textOf).join(", ");
  return JSON.stringify(isEncoded(value) ? value.json : value) ?? "";
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && (isEncoded(value) ? isEmpty(value.json) : Object.keys(value).length === 0);
}

function isEvent(value: unknown): value is { readonly type: string; readonly data: unknown } {
  const { type, data } = Object(value) as Fields;
  return typeof type === "string" && typeof data === "object" && data !== null;
}

function isError(value: unknown): value is { readonly name: string; readonly message: string; readonly code?: string } {
  const { name, message } = Object(value) as Fields;
  return typeof name === "string" && typeof message === "string";
}

function isEncoded(value: unknown): value is { readonly json: unknown } {
  const names = typeof value === "object" && value !== null ? Object.keys(value) : [];
  return names.includes("json") && names.every((name) => name === "json" || name === "meta");
}
