/** The durable calls of one work item, over all of its attempts. */
import type { HistoryEntry, HistoryTick, RunAttempt, RunCall } from "@millrace/client";
import type { Json } from "../api/json.types.js";
import { jsonOf, storedJson } from "../api/plain-json.js";
import { type Chat, messageOf } from "./chat.js";
import { groupBy } from "./group-by.js";
import { callOf } from "./log-entry-text.js";
import { type ModelCall, ModelCalls } from "./model-call.js";
import type { ItemKey } from "./run-data.js";

export interface ItemCall
  extends Pick<RunCall, "call" | "status" | "startedAtMs" | "endedAtMs" | "attempts" | "error"> {
  readonly label: string;
  /** Where it ended, or began. */
  readonly tick: number;
  /** Where it began first, whichever attempt of the step has ended it. */
  readonly startedTick: number;
  readonly model: ModelCall | null;
  /** Arguments of a tool; `undefined` for other calls: what a function reads is not recorded. */
  readonly input: Json | undefined;
  /** `undefined` until it has returned. */
  readonly output: Json | undefined;
}

export interface ItemFacts {
  readonly entries: readonly HistoryEntry[];
  /** Attempts of the item, in their order. */
  readonly attempts: readonly RunAttempt[];
}

interface RecordFields {
  readonly call?: unknown;
  readonly label?: unknown;
  readonly value?: unknown;
}

/** In the order in which they began. */
export function itemCallsOf({ entries, attempts }: ItemFacts): readonly ItemCall[] {
  const [first] = attempts;
  const reports = new Map(attempts.flatMap(({ calls }) => calls.map((call) => [call.call, call] as const)));
  if (first === undefined || reports.size === 0) return [];
  const found = new Map<string, Pick<ItemCall, "model" | "input" | "output">>();
  const models = new ModelCalls(startOf(entries, first));
  for (const entry of entries) {
    if (!isRecordOf(entry, first)) continue;
    const { call: id, label, value: stored } = entry.tick as HistoryTick & RecordFields;
    const call = String(id);
    const value = storedJson(stored);
    const model = models.read({
      call,
      value,
      label: reports.get(call)?.label ?? (typeof label === "string" ? label : null),
    });
    const input = model === null ? models.argumentsOf(call) : undefined;
    found.set(call, { model, input, output: model === null ? outputOf(value, input !== undefined) : undefined });
  }
  const began = new Map(
    attempts.toReversed().flatMap(({ calls }) => calls.map(({ call, startedTick }) => [call, startedTick] as const)),
  );
  return [...reports.values()].map((report) => {
    const { call, status, startedAtMs, endedAtMs, attempts: count, error, endedTick } = report;
    const startedTick = began.get(call) ?? report.startedTick;
    const facts = { call, status, startedAtMs, endedAtMs, attempts: count, error, startedTick };
    const { model = models.withoutRecord({ call, label: report.label ?? "" }), input, output } = found.get(call) ?? {};
    return { ...facts, label: callOf(report), tick: endedTick ?? report.startedTick, model, input, output };
  });
}

/** The record of a tool has its output in a field, or else the error that the model was told. */
function outputOf(value: unknown, isTool: boolean): Json {
  const isWrapped = isTool && typeof value === "object" && value !== null && "output" in value;
  return jsonOf(isWrapped ? value.output : value);
}

function isRecordOf({ runId, item, tick }: HistoryEntry, of: ItemKey): boolean {
  return tick.type === "effect.recorded" && runId === of.runId && item === of.item;
}

function startOf(entries: readonly HistoryEntry[], { runId }: ItemKey): unknown {
  const start = entries.find((entry) => entry.runId === runId && entry.tick.type === "run.started");
  return (start?.tick["event"] as { readonly data?: unknown } | undefined)?.data;
}

/** The conversations of the item, one for each loop: what the last call was sent, and its answer. */
export function conversationsOf(calls: readonly ItemCall[]): readonly Chat[] {
  const made = calls.flatMap(({ model }) => (model === null ? [] : [model]));
  return [...groupBy(made, ({ scope }) => scope)].map(([scope, list]) => {
    const last = list.at(-1) as ModelCall;
    const costs = list.flatMap(({ usage: { cost } }) => (cost === null ? [] : [cost]));
    const sum = (of: (call: ModelCall) => number): number => list.reduce((total, call) => total + of(call), 0);
    return {
      title: scope.split("/@").at(-1) || (last.model ?? "Model"),
      messages: messagesOfCall(last),
      usage: {
        inputTokens: sum(({ usage }) => usage.inputTokens),
        outputTokens: sum(({ usage }) => usage.outputTokens),
        cost: costs.length === 0 ? null : costs.reduce((total, cost) => total + cost, 0),
      },
    };
  });
}

/** The whole conversation of one call, the instructions first. */
export function messagesOfCall({ instructions, messages, answer }: ModelCall): Chat["messages"] {
  const system = instructions === null ? [] : [{ role: "system", content: instructions }];
  return [...system, ...messages, ...answer].map(messageOf);
}
