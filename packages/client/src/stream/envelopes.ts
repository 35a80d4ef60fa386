/** The events of a run, out of its stream. */
import { endTypes, piecesType, type StreamedEnvelope, type StreamParams } from "millrace/wire";
import type { Follow } from "./follow.js";

/** @param until Where the stream ends: with the run, or where the run waits. */
export function envelopesOf(
  until: "end" | "idle" = "end",
): Pick<Follow<StreamedEnvelope>, "query" | "noun" | "read" | "endsAnywhere"> {
  return {
    query: (after): StreamParams => ({ after_sequence: after, until }),
    noun: "event",
    read: (json, { id }) => {
      if (!isEnvelope(json)) return undefined;
      const number = json.sequence ?? Number(id);
      const item = { ...json, sequence: number };
      return Number.isInteger(number)
        ? { number, item, isLast: endsRun(item), sharesNumber: item.type === piecesType }
        : undefined;
    },
    endsAnywhere: until === "idle",
  };
}

function isEnvelope(value: unknown): value is StreamedEnvelope {
  return typeof value === "object" && value !== null && typeof (value as StreamedEnvelope).type === "string";
}

/** Returns whether the event ends the run. The end of a child run does not. */
function endsRun({ type, types, origin }: StreamedEnvelope): boolean {
  return (origin ?? null) === null && [type, ...(types ?? [])].some((name) => endTypes.includes(name));
}
