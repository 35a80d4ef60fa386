/**
 * Hides texts of users in what is read of a run.
 *
 * Only values are changed: what is below a field that holds values of users, such as `data` of an event or `json` of a value, and the
 * keys of calls. Types of events, names of steps and the kinds of ticks stay, also where one of them equals a text that is hidden.
 *
 * @module
 */
import { isObject } from "../value/kind.js";

/** Fields of a tick whose texts are of users. */
const payloadsOfTicks: ReadonlySet<string> = new Set([
  "data",
  "json",
  "labels",
  "message",
  "stack",
  "details",
  "pieces",
]);
/** Shorter texts are words that occur everywhere, such as "a" or "ok": only values that equal them are replaced. */
const shortest = 3;

/**
 * Replaces the texts of these fields, and the same texts in all other values.
 *
 * @param payloads Names of fields that hold values of users. @default those of stored ticks
 */
export function redacted<Json>(
  json: Json,
  fields: readonly string[],
  payloads: ReadonlySet<string> = payloadsOfTicks,
): Json {
  if (fields.length === 0) return json;
  const texts = new Set<string>();
  collect(json, { names: new Set(fields), isPayload: false, isNamed: false, texts, payloads });
  const byText = new Map([...texts].map((text, index) => [text, `redacted-${index + 1}`]));
  // The longest first, so that a text is not cut by one that is a part of it.
  const parts = [...texts].filter((text) => text.length >= shortest).sort((one, other) => other.length - one.length);
  const whole = (text: string): string => byText.get(text) ?? text;
  const hide = (text: string): string =>
    byText.get(text) ?? parts.reduce((rest, part) => rest.replaceAll(part, byText.get(part) as string), text);
  return rewrite(json, { hide, whole, isPayload: false, payloads }) as Json;
}

interface Search {
  readonly payloads: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly isPayload: boolean;
  /** `true` below a field of one of the names. */
  readonly isNamed: boolean;
  readonly texts: Set<string>;
}

function collect(json: unknown, search: Search): void {
  if (typeof json === "string" && search.isNamed && json !== "") search.texts.add(json);
  if (!isObject(json)) return;
  for (const [name, value] of Object.entries(json)) {
    const isNamed = search.isNamed || (search.isPayload && search.names.has(name));
    collect(value, { ...search, isNamed, isPayload: search.isPayload || search.payloads.has(name) });
  }
}

interface Rewriting {
  readonly payloads: ReadonlySet<string>;
  hide(text: string): string;
  /** Hides a text that is hidden as a whole, such as a key of a Map. */
  whole(text: string): string;
  readonly isPayload: boolean;
}

function rewrite(json: unknown, how: Rewriting): unknown {
  if (typeof json === "string") return how.isPayload ? how.hide(json) : json;
  if (Array.isArray(json)) return json.map((one) => rewrite(one, how));
  if (!isObject(json)) return json;
  const isPatch = "op" in json && "path" in json;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      if (isPatch && name === "op") return [name, value];
      if (isPatch && name === "path") return [name, rewrite(value, { ...how, hide: how.whole })]; // of names of fields, too
      if (name === "call" && typeof value === "string" && !how.isPayload) return [name, hideKey(value, how)];
      return [name, rewrite(value, { ...how, isPayload: how.isPayload || how.payloads.has(name) })];
    }),
  );
}

/** Hides only the keys that users chose: `run=mail ada`, and those of scopes around the call. */
function hideKey(call: string, { hide }: Rewriting): string {
  return call
    .split("/")
    .map((part) => part.replace(/^(@|(?:\d+:)?[a-z]+=)(.*)$/s, (_whole, kind: string, key: string) => kind + hide(key)))
    .join("/");
}
