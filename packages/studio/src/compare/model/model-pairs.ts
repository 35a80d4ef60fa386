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

/** Calls that differ, in the order of A; calls of one step are matched by their order. */
export function modelPairs(a: Side, b: Side): readonly ModelPair[] {
  const [ofA, ofB] = [callsByStep(a), callsByStep(b)];
  const steps = [...new Set([...ofA.keys(), ...ofB.keys()])];
  return steps.flatMap((step) => {
    const [left, right] = [ofA.get(step) ?? [], ofB.get(step) ?? []];
    const longest = Math.max(left.length, right.length);
    return Array.from({ length: longest }, (_none, index) => {
      const texts = textsOf(left[index]).map((text, at) => ({ ...text, b: textsOf(right[index])[at]?.a ?? "" }));
      return { step, number: index + 1, texts: texts.filter((text) => text.a !== text.b) };
    }).filter(({ texts }) => texts.length > 0);
  });
}

function callsByStep({ entries, attempts }: Side): ReadonlyMap<string, readonly ModelCall[]> {
  const items = groupBy(attempts, ({ runId, item }) => `${runId}#${item}`);
  const bySteps = new Map<string, ModelCall[]>();
  for (const own of items.values()) {
    const step = own[0]?.step ?? "";
    const calls = itemCallsOf({ entries, attempts: own }).flatMap(({ model }: ItemCall) =>
      model === null ? [] : [model],
    );
    bySteps.set(step, [...(bySteps.get(step) ?? []), ...calls]);
  }
  return bySteps;
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
