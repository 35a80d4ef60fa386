/**
 * Converts any value to lines of text, which are equal for equal values, however these were made.
 *
 * @module
 */
import { WorkflowError } from "millrace";

const INDENT = "  ";
const MAX_DEPTH = 40;

export function describeValue(value: unknown, depth = 0): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `function ${value.name}`;
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : String(value);
  if (depth > MAX_DEPTH) return "…";
  return describeObject(value, depth);
}

function describeObject(value: object, depth: number): string {
  const inner = (item: unknown): string => describeValue(item, depth + 1);
  if (value instanceof Date) return `Date(${Number.isNaN(value.getTime()) ? "invalid" : value.toISOString()})`;
  if (value instanceof Error) return describeError(value);
  if (Array.isArray(value)) return block("[]", value.map(inner), depth);
  if (value instanceof Map)
    return `Map ${block("{}", [...value].map(([key, item]) => `${inner(key)} => ${inner(item)}`).sort(), depth)}`;
  if (value instanceof Set) return `Set ${block("{}", [...value].map(inner).sort(), depth)}`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name} ${describeBytes(value)}`;
  const name = value.constructor === Object || value.constructor === undefined ? "" : `${value.constructor.name} `;
  const fields = Object.keys(value).sort();
  const lines = fields.map((field) => `${field}: ${inner((value as Record<string, unknown>)[field])}`);
  return name + block("{}", lines, depth);
}

/**
 * An error of Millrace is described by its code, because the message may contain the attempt, whose number a crash
 * raises.
 */
function describeError(error: Error): string {
  return WorkflowError.is(error) ? `WorkflowError ${error.code}` : `${error.name}: ${error.message}`;
}

function describeBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return [...new Uint8Array(buffer, byteOffset, byteLength)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function block([open, close]: string, lines: readonly string[], depth: number): string {
  if (lines.length === 0) return `${open}${close}`;
  const outer = INDENT.repeat(depth);
  return `${open}\n${lines.map((line) => `${outer}${INDENT}${line},\n`).join("")}${outer}${close}`;
}

/** Maximum number of lines shown on each side of a difference. */
const MAX_LINES = 8;

/** Describes the difference of two texts: the lines between their common beginning and their common end. */
export function describeDifference(expected: string, actual: string): string {
  const [before, after] = [expected.split("\n"), actual.split("\n")];
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++;
  return [
    ...marked("-", before.slice(start, before.length - end)),
    ...marked("+", after.slice(start, after.length - end)),
  ].join("\n");
}

function marked(mark: string, lines: readonly string[]): string[] {
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${mark} ${line}`);
  return lines.length > MAX_LINES ? [...shown, `  ${mark} … ${lines.length - MAX_LINES} more lines`] : shown;
}
