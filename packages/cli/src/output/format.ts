/** How times, durations and values look in a terminal. */
import { cleanLine } from "./clean.js";

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

/** `12 ms`, `3.4 s`, `2 m 5 s`, `3 d 4 h`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const first = units.findIndex(([, size]) => ms >= size);
  const [unit, size] = units[first] ?? units[2];
  const [next, nextSize] = units[first + 1] ?? ["s", 1_000];
  const rest = Math.floor((ms % size) / nextSize);
  return `${Math.floor(ms / size)} ${unit}${rest === 0 ? "" : ` ${rest} ${next}`}`;
}

export function agoText(ms: number, nowMs: number): string {
  return nowMs - ms < 1_000 ? "now" : `${durationText(nowMs - ms).replace(/\.\d s$/, " s")} ago`;
}

export function isoText(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, "Z");
}

/** A value in one line, cut where it is long. */
export function valueText(value: unknown, limit: number): string {
  return cut(typeof value === "string" ? value : (jsonText(value) ?? "undefined"), limit);
}

/** The value as JSON; what JSON cannot hold is shown in its wire form. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, plainOf, indent);
}

function plainOf(_name: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Map || value instanceof Set) return [...value];
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  return value instanceof Error ? { name: value.name, message: value.message } : value;
}

/** Control characters of user data must not move the cursor. */
export function cut(text: string, limit: number): string {
  return shorten(cleanLine(text.replace(/\s+/g, " ")), limit);
}

function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, Math.max(0, limit - 1))}…`;
}

/** Rows in columns: the last one takes what is left. */
export function tableText(rows: readonly (readonly string[])[], limit: number): string[] {
  const clean = rows.map((row) => row.map((cell) => cut(cell, 200)));
  const widths = (clean[0] ?? []).map((_cell, column) => Math.max(...clean.map((row) => (row[column] ?? "").length)));
  return clean.map((row) => {
    const cells = row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)));
    return shorten(cells.join("  ").trimEnd(), limit);
  });
}
