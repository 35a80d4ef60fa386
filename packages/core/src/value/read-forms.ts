/**
 * Reads the forms of `forms.ts`. The JSON comes from outside.
 *
 * @module
 */
import { MAX_BIGINT_DIGITS, views } from "./forms.js";

/** Throws at what no value was encoded as. */
export type ReadJson = (json: unknown) => unknown;

/** Reads single values from their texts. The engine leaves that to superjson; a page, where superjson is too large, to the platform. */
export interface LeafReaders {
  number(text: string): unknown;
  Date(text: string): Date;
  URL(text: string): unknown;
}

/** By the text of their tags. */
export function readersWith(leaves: LeafReaders): ReadonlyMap<string, ReadJson> {
  return new Map<string, ReadJson>([
    ["undefined", () => undefined],
    ["number", (json) => leaves.number(textIn(json))],
    ["Date", (json) => validDate(leaves.Date(textIn(json)))],
    ["URL", (json) => leaves.URL(textIn(json))],
    ["custom,@bytes", readBytes],
    ["custom,@bigint", readBigint],
    ["map", (json) => new Map(listIn(json) as [unknown, unknown][])],
    ["set", (json) => new Set(listIn(json))],
  ]);
}

function validDate(date: Date): Date {
  if (Number.isNaN(date.getTime())) throw new TypeError("No date");
  return date;
}

function readBytes(json: unknown): ArrayBufferView {
  const [name, base64] = listIn(json) as [string, string];
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const View = views.find((view) => view.name === name) as (typeof views)[number];
  return new View(bytes.buffer);
}

function readBigint(json: unknown): bigint {
  const digits = textIn(json);
  if (digits.length > MAX_BIGINT_DIGITS + 1) throw new RangeError("Too many digits");
  return BigInt(digits);
}

function textIn(json: unknown): string {
  if (typeof json === "string") return json;
  throw new TypeError("No text");
}

function listIn(json: unknown): unknown[] {
  if (Array.isArray(json)) return json;
  throw new TypeError("No list");
}
