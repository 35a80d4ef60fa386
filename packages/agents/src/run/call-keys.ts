/**
 * Idempotency keys for the calls of one run.
 *
 * They are made from what is called, not from the ids the model makes up: when the run is tried again and the model asks
 * for the same thing, the key is the same. The second identical call of one run gets another key than the first.
 *
 * @module
 */
import { digest } from "millrace/engine";
export function callKeys(runKey: string): (toolName: string, args: unknown) => string {
  const counts = new Map<string, number>();
  return (toolName, args) => {
    const text = `${toolName} ${canonicalJson(args)}`;
    const count = counts.get(text) ?? 0;
    counts.set(text, count + 1);
    return `${runKey}:${toolName}:${digest(text)}:${count}`;
  };
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (isPlain(item) ? sorted(item) : item)) ?? "";
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([left], [right]) => (left < right ? -1 : 1)));
}
