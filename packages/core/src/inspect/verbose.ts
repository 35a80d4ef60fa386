import type { Log } from "../engine/ports.js";
import { isError } from "../value/kind.js";
import type { AttemptFacts, RunFacts } from "./inspection-events.js";
import type { Inspector } from "./inspector.js";

const maxTextLength = 50;
const maxLineLength = 200;

type Payload = RunFacts & Partial<Pick<AttemptFacts, "item" | "attempt">> & { readonly step?: string | null };

/**
 * Prints one line for every inspection event. Returns the function that stops it.
 *
 *     [4f0c2a91] step.failed judge #3.1 error=TypeError: fetch failed, elapsedMs=12, final=false
 */
export function logVerbosely(inspector: Inspector, log: Log): () => void {
  return inspector.onAny(({ name, payload }) => log.info(toLine(name, payload)));
}

function toLine(name: string, payload: Payload): string {
  // The omitted ids are for tracers.
  const { workflow, runId, tenant, traceId, spanId, parentSpanId, trace, atMs, step, item, attempt, ...facts } =
    payload;
  const words = [`[${runId.slice(0, 8)}]`, name];
  if (step) words.push(step);
  if (item !== undefined) words.push(`#${item}.${attempt}`);
  const shown = Object.entries(facts).filter(([, value]) => value !== null);
  words.push(shown.map(([key, value]) => `${key}=${summarize(value)}`).join(", "));
  return clip(words.join(" ").trimEnd(), maxLineLength);
}

/** Short text of a value. Never throws, because users made the value. */
function summarize(value: unknown): string {
  try {
    if (Array.isArray(value))
      return value.length > 3 ? `[${value.length} items]` : `[${value.map(summarize).join(", ")}]`;
    if (isError(value) || typeof value !== "object") return clip(String(value), maxTextLength);
    const { type } = value as { type?: unknown };
    return clip(`${typeof type === "string" ? type : ""}${JSON.stringify(value)}`, maxTextLength);
  } catch {
    return "(unreadable)";
  }
}

function clip(text: string, length: number): string {
  const line = text.replace(/\p{Cc}+/gu, " ");
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
