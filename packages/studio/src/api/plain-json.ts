/** Values as JSON, to be shown and edited: the client decodes dates, maps, sets, bigint and bytes. */
import type { SomeEvent } from "@millrace/client";
import type { Json, JsonObject } from "../api/json.types.js";

export function jsonOf(value: unknown): Json {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value === null || value === undefined) return null;
  if (typeof value !== "object") return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof Map) return [...value].map(([key, of]) => [jsonOf(key), jsonOf(of)]);
  if (Array.isArray(value) || value instanceof Set) return [...value].map(jsonOf);
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (Object.keys(value).length === 0 && String(value) !== "[object Object]") return String(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, jsonOf(field)]));
}

/** What an event holds besides its type. */
export function fieldsOf({ type: _, ...fields }: SomeEvent): JsonObject {
  return jsonOf(fields) as JsonObject;
}

/** A value as ticks store it: `{ json, meta }`, where `meta` says what JSON does not have. */
export function storedJson(stored: unknown): Json {
  if (typeof stored !== "object" || stored === null || !("json" in stored)) return jsonOf(stored);
  return jsonOf(stored.json);
}
