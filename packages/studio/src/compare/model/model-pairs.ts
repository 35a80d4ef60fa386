/** Calls of models of two runs side by side, as text. */
import type { HistoryEntry, RunAttempt } from "@millrace/client";
import { groupBy } from "../../model/group-by.js";
import { type ItemCall, itemCallsOf } from "../../model/item-calls.js";
import type { ModelCall, ModelMessage } from "../../model/model-call.js";

export interface TextPair {
  readonly title: string;
  readonly a: string;
  readonly b: string;
}

export interface ModelPair {
  readonly step: string;
  /** Number of the call in its step, from 1. */
  readonly number: number;
  /** Only what differs. */
  readonly texts: readonly TextPair[];
}

interface Side {
  readonly entries: readonly HistoryEntry[];
  readonly attempts: readonly RunAttempt[];
}

/**
 * Calls that differ, in the order of A. Calls of one step are matched by their ids in it, and those of several items by their order.
 *
 * @param forkAt Tick of A after which B was forked: B has not made the calls that had ended by then. `null` for two runs of their own.
 */
export function modelPairs(a: Side, b: Side, forkAt: number | null = null): readonly ModelPair[] {
  const [left, right] = [callsByPlace(a, forkAt), callsByPlace(b, null)];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((place) => {
    const [mine, other] = [left.get(place), right.get(place)];
    const { step = "", number = 1 } = mine ?? other ?? {};
    const texts = textsOf(mine?.model).map((text, at) => ({ ...text, b: textsOf(other?.model)[at]?.a ?? "" }));
    const differing = texts.filter((text) => text.a !== text.b);
    return differing.length === 0 ? [] : [{ step, number, texts: differing }];
  });
}

interface PlacedCall {
  readonly step: string;
  /** Number of the call in its step, from 1. */
  readonly number: number;
  readonly call: string;
  readonly tick: number;
  readonly model: ModelCall;
}

/** By step, id of the call, and number of the items that have made such a call before. */
function callsByPlace({ entries, attempts }: Side, after: number | null): ReadonlyMap<string, PlacedCall> {
  const items = groupBy(attempts, ({ runId, item }) => `${runId}#${item}`);
  const numbers = new Map<string, number>();
  const calls = [...items.values()].flatMap((own) =>
    itemCallsOf({ entries, attempts: own }).flatMap(({ call, tick, model }: ItemCall): PlacedCall[] => {
      if (model === null) return [];
      const { step = "" } = own[0] ?? {};
      const number = (numbers.get(step) ?? 0) + 1;
      numbers.set(step, number);
      return [{ step, number, call, tick, model }];
    }),
  );
  const alike = groupBy(calls, ({ step, call }) => JSON.stringify([step, call]));
  const placed = [...alike].flatMap(([place, list]) => list.map((one, index) => [`${place} ${index}`, one] as const));
  return new Map(placed.filter(([, { tick }]) => after === null || tick > after));
}

/** The texts of a side, as `a`; empty ones for a call that the side does not have. */
function textsOf(call: ModelCall | undefined): readonly Pick<TextPair, "title" | "a">[] {
  const json = (value: unknown): string => JSON.stringify(value, null, 2);
  const settings = call === undefined ? "" : json({ model: call.model, ...call.settings, toolChoice: call.toolChoice });
  return [
    { title: "Instructions", a: call?.instructions ?? "" },
    { title: "Messages", a: call === undefined ? "" : call.messages.map(messageText).join("\n\n") },
    { title: "Tools", a: call === undefined || call.tools.length === 0 ? "" : json(call.tools) },
    { title: "Model and settings", a: settings },
    { title: "Answer", a: call === undefined ? "" : call.answer.map(messageText).join("\n\n") },
  ];
}

function messageText({ role, content }: ModelMessage): string {
  const parts = Array.isArray(content) ? content : [content];
  return `${role}: ${parts.map(partText).join("\n")}`;
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  const {
    type,
    text,
    toolCallId: _,
    ...rest
  } = part as { readonly type?: unknown; readonly text?: unknown; readonly toolCallId?: unknown };
  return (type === "text" || type === "reasoning") && typeof text === "string"
    ? text
    : JSON.stringify({ type, ...rest });
}
