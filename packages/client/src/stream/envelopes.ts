/** The events of a run, out of its stream. */
import type { Envelope, StreamedEnvelope } from "../wire/contract.types.js";
import type { Follow } from "./follow.js";
import { isPieces } from "./pieces-once.js";

/** @param until Where the stream ends: with the run, or where the run waits. */
export function envelopesOf(
  until: "end" | "idle" = "end",
): Pick<Follow<StreamedEnvelope>, "query" | "noun" | "read" | "endsAnywhere"> {
  return {
    query: (after) => ({ after_sequence: after, until }),
    noun: "event",
    read: (json, { id }) => {
      if (!isEnvelope(json)) return undefined;
      const number = json.sequence ?? Number(id);
      const item = { ...json, sequence: number };
      return Number.isInteger(number)
        ? { number, item, isLast: endsRun(item), sharesNumber: isPieces(item.type) }
        : undefined;
    },
    endsAnywhere: until === "idle",
  };
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
