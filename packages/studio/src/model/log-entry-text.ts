/**
 * The line of the log for a tick: one sentence, never the tick itself.
 *
 * @module
 */

import type { ChangedValue, HistoryEntry, HistoryTick, RunCall } from "@millrace/client";
import { readableCall } from "millrace/engine";
import type { IconName } from "../ui/icon.js";
import type { CallLabels } from "./call-labels.js";
import { pipelineChanges } from "./pipeline-changes.js";
import type { StepNaming } from "./step-names.js";

export type LineKind = "steps" | "events" | "state" | "stream" | "housekeeping";
export type Tone = "done" | "failed" | "waiting" | "running" | "cancelled" | null;

export interface Line {
  readonly kind: LineKind;
  readonly icon: IconName;
  readonly tone: Tone;
  readonly text: string;
  /** Type of the event that the tick is about. */
  readonly event: string | null;
  /** Message of the error. */
  readonly message: string | null;
  readonly isFailure: boolean;
  /** A person is asked, or has answered. */
  readonly isQuestion: boolean;
  /** What the tick changed in the state, without that by which a pipeline keeps its place. */
  readonly changes: readonly ChangedValue[];
}

/** What a sentence depends on besides its tick. */
export interface LineFacts {
  readonly runId: string;
  readonly naming: StepNaming;
  /** Of the calls that have begun up to the tick. */
  readonly labels: CallLabels;
  /** @default false */
  readonly isPipeline?: boolean;
}

type Words = Partial<Line> & Pick<Line, "kind" | "icon" | "text">;
interface TickFacts {
  readonly tick: HistoryTick;
  readonly who: string;
  /** Label of the call that it is about, or else its key; empty without one. */
  readonly call: string;
  readonly attempt: number;
  readonly isChild: boolean;
}

const sentences: Readonly<Record<string, (facts: TickFacts) => Words>> = {
  "run.started": ({ tick, isChild }) => ({
    kind: "events",
    icon: "start",
    text: isChild ? "Child run starts" : `Run starts${byText(tick)}`,
    event: typeOf(tick["event"]),
  }),
  "run.forked": ({ tick }) => ({
    kind: "events",
    icon: "fork",
    text: `Fork begins after tick ${originTick(tick)}${byText(tick)}`,
  }),
  "run.resumed": ({ tick }) => ({ kind: "events", icon: "play", text: `Run resumes${byText(tick)}` }),
  "run.retried": ({ tick }) => ({ kind: "events", icon: "retry", text: `Run is retried${byText(tick)}` }),
  "run.cancelled": ({ tick }) => ({
    kind: "events",
    icon: "cancelled",
    tone: "cancelled",
    text: `Run is cancelled${byText(tick)}`,
  }),
  "run.idled": () => ({ kind: "housekeeping", icon: "clock", text: "Nothing to do until something comes in" }),
  "time.passed": () => ({ kind: "housekeeping", icon: "clock", text: "A timer fired" }),
  "definition.changed": () => ({ kind: "housekeeping", icon: "flow", text: "The code of the workflow changed" }),
  "event.received": ({ tick }) => {
    const isAnswer = typeof tick["promptId"] === "string";
    return {
      kind: "events",
      icon: isAnswer ? "person" : "event",
      text: `${isAnswer ? "Answer" : "Event"} received${byText(tick, "from")}`,
      event: typeOf(tick["event"]),
      isQuestion: isAnswer,
    };
  },
  "step.completed": ({ tick, who }) => ({
    kind: "steps",
    icon: "done",
    tone: "done",
    text: `${who} completed`,
    event: outputOf(tick["output"]),
  }),
  "step.failed": ({ tick, who, attempt }) => ({
    kind: "steps",
    icon: tick["retryAtMs"] == null ? "failed" : "retry",
    tone: "failed",
    text: `${who} failed, attempt ${attempt}`,
    message: messageOf(tick["error"]),
    isFailure: true,
  }),
  "step.yielded": emitting("emitted"),
  "sends.committed": emitting("sent"),
  "wait.opened": ({ tick, who }) => {
    const asked = typeOf(tick["prompt"]);
    const [accepted] = (tick["accepts"] as readonly string[] | undefined) ?? [];
    return {
      kind: "events",
      icon: "waiting",
      tone: "waiting",
      text: asked === null ? `${who} waits` : `${who} asks, and waits`,
      event: asked ?? accepted ?? null,
      isQuestion: asked !== null,
    };
  },
  "sleep.opened": ({ who }) => ({ kind: "events", icon: "clock", tone: "waiting", text: `${who} sleeps` }),
  "child.opened": ({ tick, who }) => ({
    kind: "steps",
    icon: "child",
    text: `${who} started child ${tick["name"]}`,
    event: typeOf(tick["start"]),
  }),
  "child.closed": ({ tick, who }) => {
    const failed = tick["error"] != null;
    return {
      kind: "steps",
      icon: "child",
      tone: failed ? "failed" : "done",
      text: `child ${tick["name"]} of ${who} ${failed ? "failed" : "ended"}`,
      message: messageOf(tick["error"]),
      isFailure: failed,
    };
  },
  "call.awaited": ({ who }) => ({ kind: "housekeeping", icon: "clock", text: `${who} waits again` }),
  "effect.opened": ({ tick, who, call }) => ({
    kind: "steps",
    icon: "effect",
    tone: "running",
    text: `${who} does “${call}”${tryOf(tick)}`,
  }),
  "effect.failed": ({ tick, who, call }) => ({
    kind: "steps",
    icon: tick["retryAtMs"] == null ? "failed" : "retry",
    tone: "failed",
    text: `“${call}” of ${who} failed${tryOf(tick)}`,
    message: messageOf(tick["error"]),
    isFailure: true,
  }),
  "effect.recorded": ({ who, call }) => ({
    kind: "steps",
    icon: "effect",
    text: `${who} did “${call}” once`,
  }),
  "event.collected": emitting("collected"),
  "state.edited": ({ who }) => ({ kind: "state", icon: "state", text: `${who} edited state` }),
  "stream.written": ({ tick, who }) => ({
    kind: "stream",
    icon: "stream",
    text: `${typeof tick["origin"] === "string" ? tick["origin"] : who} streamed`,
    event: typeOf(tick["event"]),
  }),
};

/** Of ticks with one event, or with those that were sent together. */
function emitting(verb: string): (facts: TickFacts) => Words {
  return ({ tick, who }) => {
    const event = typeOf(tick["event"]) ?? sentOf(tick["sends"]);
    return { kind: "events", icon: "event", text: `${who} ${verb}`, event };
  };
}

export function lineOf(entry: HistoryEntry, { runId, naming, labels, isPipeline = false }: LineFacts): Line {
  const { tick, step, attempt, changes = [] } = entry;
  const isChild = entry.runId !== runId;
  const name = step === null ? null : naming(step, entry.runId);
  const { call: id } = tick;
  const call = typeof id === "string" ? (labels.of(entry) ?? readableCall(id)) : "";
  const facts: TickFacts = { tick, who: name?.label ?? "The caller", call, attempt: attempt ?? 1, isChild };
  const words = sentences[tick.type]?.(facts) ?? { kind: "events", icon: "event", text: tick.type };
  // A step of a pipeline that asks first ends, and begins again with the answer.
  const asksFirst = words.event?.startsWith("pipeline.ask ") === true && tick.type === "step.completed";
  const ends = name?.isInner === true ? endingText(tick, name.label) : null;
  const known = isPipeline ? pipelineChanges(changes, name?.label ?? null) : changes;
  const isOnlyPlace = words.kind === "state" && known.length < changes.length && known.length === 0;
  const isInner = name?.isInner === true && words.isFailure !== true;
  const isHousekeeping = isInner || asksFirst || isOnlyPlace || ends !== null;
  return {
    tone: null,
    event: null,
    message: null,
    isFailure: false,
    isQuestion: false,
    changes: known,
    ...words,
    ...(ends !== null && { text: ends, isFailure: false }),
    ...(words.event?.startsWith("pipeline.") && { event: null }),
    ...(isHousekeeping && { kind: "housekeeping" }),
  };
}

/** How a pipeline begins and ends, in words; `null` for all other ticks. The step that failed has said why already. */
function endingText({ type, error }: HistoryTick, step: string): string | null {
  if (type === "step.completed") return { begin: "The pipeline begins", finish: "The pipeline ends" }[step] ?? null;
  return (error as { code?: unknown } | null | undefined)?.code === "PIPELINE_FAILED" ? "The pipeline fails" : null;
}

/** The label of a call, else its key, with the scopes that it is in. */
export function callOf({ call, label }: Pick<RunCall, "call" | "label">): string {
  return label ?? readableCall(call);
}

function tryOf({ callAttempt }: HistoryTick): string {
  return typeof callAttempt === "number" ? `, attempt ${callAttempt}` : "";
}

/** Who has done it, and through which door, as far as the tick says. */
function byText({ by }: HistoryTick, before: "by" | "from" = "by"): string {
  const { user, door } = (by ?? {}) as { readonly user?: unknown; readonly door?: unknown };
  return `${typeof user === "string" ? ` ${before} ${user}` : ""}${typeof door === "string" ? ` through ${door}` : ""}`;
}

export function messageOf(error: unknown): string | null {
  return (error as { message?: string } | null | undefined)?.message ?? null;
}

export function typeOf(event: unknown): string | null {
  const type = (event as { type?: unknown } | null | undefined)?.type;
  return typeof type === "string" ? type : null;
}

/** `Summary`, or `FileFound ×20` of a fan-out. */
function outputOf(output: unknown): string | null {
  if (!Array.isArray(output)) return typeOf(output);
  const type = typeOf(output[0]);
  return type !== null && output.length > 1 ? `${type} ×${output.length}` : type;
}

function sentOf(sends: unknown): string | null {
  return Array.isArray(sends) ? outputOf(sends.map(({ event }) => event)) : null;
}

function originTick(tick: HistoryTick): number {
  return (tick["from"] as { tick?: number } | undefined)?.tick ?? 0;
}
