/**
 * Converts any value to lines of text, which are equal for equal values, however these were made.
 *
 * @module
 */
import { type ValueType, WorkflowError } from "millrace";

const INDENT = "  ";
/** Far more levels than a stored value may have. */
const MAX_DEPTH = 1_000;

interface Place {
  readonly types: readonly ValueType[];
  /** The objects around the value, outermost first. One list for all of them. */
  readonly around: object[];
  /** Fields that are left out. */
  readonly hidden: ReadonlySet<string>;
}

/**
 * @param types Registered classes: their encoders show all that is in an instance, private fields included.
 * @param hidden Names of fields that are left out, at any depth.
 */
export function describeValue(
  value: unknown,
  types: readonly ValueType[] = [],
  hidden: ReadonlySet<string> = new Set(),
): string {
  return describeAt(value, { types, around: [], hidden });
}

function describeAt(value: unknown, place: Place): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `function ${value.name}`;
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : String(value);
  const above = place.around.indexOf(value);
  if (above >= 0) return `… as ${place.around.length - above} levels above`;
  if (place.around.length > MAX_DEPTH) return "…";
  place.around.push(value);
  const text = describeObject(value, place);
  place.around.pop();
  return text;
}

function describeObject(value: object, place: Place): string {
  const { types, around, hidden } = place;
  const inner = (item: unknown): string => describeAt(item, place);
  const inBlock = (brackets: string, lines: readonly string[]): string => block(brackets, lines, around.length - 1);
  const type = types.find((one) => one.is(value));
  if (type !== undefined) return `${type.name} ${inner(type.encode(value as never))}`;
  if (value instanceof Date) return `Date(${Number.isNaN(value.getTime()) ? "invalid" : value.toISOString()})`;
  if (value instanceof Error) return describeError(value, inner);
  if (Array.isArray(value)) return inBlock("[]", value.map(inner));
  if (value instanceof Map)
    return `Map ${inBlock("{}", [...value].map(([key, item]) => `${inner(key)} => ${inner(item)}`).sort())}`;
  if (value instanceof Set) return `Set ${inBlock("{}", [...value].map(inner).sort())}`;
  if (ArrayBuffer.isView(value)) return `${classNameOf(value)} ${describeBytes(value)}`;
  if (value instanceof ArrayBuffer) return `ArrayBuffer ${describeBytes(new Uint8Array(value))}`;
  const fields = Object.keys(value)
    .filter((field) => !hidden.has(field))
    .sort();
  const name = classNameOf(value);
  if (fields.length === 0 && saysWhatItIs(value)) return `${name} ${JSON.stringify(String(value))}`;
  const lines = fields.map((field) => `${field}: ${inner((value as Record<string, unknown>)[field])}`);
  return `${name}${name && " "}${inBlock("{}", lines)}`;
}

/**
 * An error of Millrace is described by its code, because the message may contain the attempt, whose number a crash
 * raises.
 */
function describeError(error: Error, inner: (cause: unknown) => string): string {
  if (WorkflowError.is(error)) return `WorkflowError ${error.code}`;
  const { name, message, code, cause } = error as Error & { readonly code?: unknown };
  const says = `${name}: ${message}${typeof code === "string" ? ` (${code})` : ""}`;
  return cause instanceof Error ? `${says}, caused by ${inner(cause)}` : says;
}

function classNameOf(value: object): string {
  return value.constructor === Object || typeof value.constructor !== "function" ? "" : value.constructor.name;
}

/** Whether the text of a value describes it, such as a URL, a regular expression or a time, which have no fields. */
function saysWhatItIs(value: object): boolean {
  return typeof value.toString === "function" && value.toString !== Object.prototype.toString;
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

/**
 * Describes the difference of two texts: the lines that differ, where they have as many, and else those between their common
 * beginning and their common end.
 */
export function describeDifference(expected: string, actual: string): string {
  const [before, after] = [expected.split("\n"), actual.split("\n")];
  if (before.length === after.length) {
    const differs = (_line: string, index: number): boolean => before[index] !== after[index];
    return [...marked("-", before.filter(differs)), ...marked("+", after.filter(differs))].join("\n");
  }
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
