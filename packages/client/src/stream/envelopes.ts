/** The events of a run, out of its stream. */
import { invalidAnswer, type RequestFacts } from "../http/answer-error.js";
import type { Envelope, StreamedEnvelope } from "../wire/contract.types.js";
import type { Follow, Numbered } from "./follow.js";
import type { SseFrame } from "./sse.js";

/** @param until Where the stream ends: with the run, or where the run waits. */
export function envelopesOf(
  request: RequestFacts,
  until: "end" | "idle" = "end",
): Pick<Follow<StreamedEnvelope>, "query" | "parse" | "endsAnywhere"> {
  return {
    query: (after) => ({ after_sequence: after, until }),
    parse: (frame) => parseFrame(frame, request),
    endsAnywhere: until === "idle",
  };
}

function parseFrame({ id, data }: SseFrame, request: RequestFacts): Numbered<StreamedEnvelope> {
  try {
    const envelope: unknown = JSON.parse(data);
    if (isEnvelope(envelope)) {
      const number = envelope.sequence ?? Number(id);
      const item = { ...envelope, sequence: number };
      if (Number.isInteger(number)) return { number, item, isLast: endsRun(item) };
    }
  } catch {
    // Text that is not JSON is treated like JSON that is not an event.
  }
  throw invalidAnswer(`a frame that is no event: ${data.slice(0, 100)}`, request);
}

function isEnvelope(value: unknown): value is Envelope & Partial<StreamedEnvelope> {
  return typeof value === "object" && value !== null && typeof (value as Envelope).type === "string";
}

const endings: ReadonlySet<string> = new Set([
  "StopEvent",
  "WorkflowFailedEvent",
  "WorkflowTimedOutEvent",
  "WorkflowCancelledEvent",
]);

/** Tells whether the event ends the run. The end of a child run does not. */
function endsRun({ type, types, origin }: StreamedEnvelope): boolean {
  return (origin ?? null) === null && [type, ...(types ?? [])].some((name) => endings.has(name));
}
