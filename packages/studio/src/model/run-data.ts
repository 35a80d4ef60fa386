/** What went into a run and its steps, and what came out, as ticks record it. */
import type { HistoryEntry, HistoryTick, RunAttempt } from "@millrace/client";
import type { Json, JsonObject } from "../api/json.types.js";
import { jsonOf, storedJson } from "../api/plain-json.js";
import { isRecord } from "../ui/format.js";
import { dispatchedIn, isEvent, type StoredEvent } from "./emitted.js";
import type { StepNaming } from "./step-names.js";

/** A value with the type of its event; `null` for a value that is no event. */
export interface Datum {
  readonly type: string | null;
  readonly value: Json;
}

/** Internal events of pipelines say where the run continues, and nothing of the work. */
function isInternal({ type }: StoredEvent): boolean {
  return type.startsWith("pipeline.") && type !== "pipeline.start";
}

/** An event as a value, or a list of them; `null` for what is no event, or only moves a pipeline on. */
export function datumOf(stored: unknown): Datum | null {
  if (Array.isArray(stored)) return listOf(stored.filter(isEvent).filter((event) => !isInternal(event)));
  if (!isEvent(stored) || isInternal(stored)) return null;
  return { type: stored.type, value: jsonOf(stored.data ?? {}) };
}

function listOf(events: readonly StoredEvent[]): Datum | null {
  if (events.length === 0) return null;
  const types = [...new Set(events.map(({ type }) => type))];
  const [type = null, ...others] = types;
  if (others.length === 0) return { type, value: events.map(({ data }) => jsonOf(data ?? {})) };
  return { type: null, value: events.map(({ type: of, data }) => ({ type: of, data: jsonOf(data ?? {}) })) };
}

/** The input as callers write it; `null` for ticks that start no run. */
export function startOf({ tick }: HistoryEntry): Datum | null {
  if (tick.type !== "run.started") return null;
  const start = datumOf(tick["event"]);
  return start?.type === "pipeline.start" ? { type: null, value: requestOf(start.value) } : start;
}

/** A pipeline is started with three fields, and keeps more. */
function requestOf(start: Json): JsonObject {
  const { request } = start as { readonly request?: Readonly<Record<string, Json>> };
  const { input = null, sessionId = null, userId = null } = request ?? {};
  return {
    input,
    ...(sessionId !== null && sessionId !== "" && { session_id: sessionId }),
    ...(userId !== null && userId !== "" && { user_id: userId }),
  };
}

/** The result of a run: of a pipeline, its content, and everything else that it returns. */
export function resultOf(result: unknown): { readonly value: Json; readonly whole: Json | null } {
  const whole = jsonOf(result);
  const { pipelineId, stepResults, content } = (isRecord(whole) ? whole : {}) as JsonObject;
  const isOfPipeline = typeof pipelineId === "string" && Array.isArray(stepResults);
  return isOfPipeline ? { value: content ?? null, whole } : { value: whole, whole: null };
}

/** What a step has returned: its events, or the content of a step of a pipeline. */
export function outputOf(tick: HistoryTick): Datum | null {
  if (tick.type !== "step.completed") return null;
  return contentOf(tick["shown"]) ?? datumOf(tick["output"]);
}

/** A step of a pipeline shows its output in its stream. */
function contentOf(shown: unknown): Datum | null {
  if (!Array.isArray(shown)) return null;
  for (const { data } of shown as { data?: { output?: { content?: unknown } } }[]) {
    if (data?.output?.content !== undefined) return { type: null, value: jsonOf(data.output.content) };
  }
  return null;
}

/** What else a tick holds: an event that came, was streamed or asked for, or a recorded value. */
export function contentOfTick(entry: HistoryEntry): Datum | null {
  const { tick } = entry;
  const start = startOf(entry);
  if (start !== null) return start;
  if (tick.type === "effect.recorded") return { type: null, value: storedJson(tick["value"]) };
  return datumOf(tick["event"] ?? tick["events"] ?? tick["prompt"] ?? tick["start"]);
}

interface EventFacts {
  readonly type: string;
  readonly runId: string;
  /** The last tick that counts. */
  readonly tick: number;
}

/** Fields of all events of a type that a run dispatched. */
export function eventsOf(entries: readonly HistoryEntry[], { type, runId, tick: last }: EventFacts): readonly Json[] {
  return entries.flatMap((entry) => {
    if (entry.number > last || entry.runId !== runId) return [];
    return dispatchedIn(entry.tick).flatMap((event) => (event.type === type ? [jsonOf(event.data ?? {})] : []));
  });
}

export interface FailureData {
  readonly name: string;
  readonly message: string;
  readonly code: string | null;
  readonly stack: string | null;
}

export function failureOf({ error }: HistoryTick): FailureData | null {
  if (typeof error !== "object" || error === null) return null;
  const { name, message, code, stack } = error as Readonly<Record<string, unknown>>;
  const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
  return { name: textOf(name) ?? "Error", message: textOf(message) ?? "", code: textOf(code), stack: textOf(stack) };
}

/** A work item of a step. */
export interface ItemKey {
  readonly runId: string;
  readonly item: number;
}

interface SubjectFacts {
  readonly attempts: readonly RunAttempt[];
  readonly naming: StepNaming;
  readonly runId: string;
  /** The tick at the cursor. */
  readonly entry: HistoryEntry | undefined;
  readonly tick: number;
  /** The chosen step, and the chosen item of it. */
  readonly step: string | null;
  readonly item: ItemKey | null;
}

/**
 * The item to show: the chosen one, else that of the tick at the cursor, else the last one of the chosen step that had begun. `null`
 * where there is none.
 */
export function subjectOf({ attempts, naming, runId, entry, tick, step, item }: SubjectFacts): ItemKey | null {
  if (item !== null) return item;
  const isOfStep = (of: string, in_: string): boolean => step === null || naming(of, in_).owner === step;
  if (entry?.item != null && entry.step !== null && isOfStep(entry.step, entry.runId))
    return { runId: entry.runId, item: entry.item };
  if (step === null) return null;
  const all = attempts.filter((attempt) => isOfStep(attempt.step, attempt.runId));
  const ofRun = all.filter((attempt) => attempt.runId === runId);
  // The graph of a pipeline has the steps of those inside of it, which are child runs.
  const own = ofRun.length > 0 ? ofRun : all;
  const found = own.findLast(({ startedTick }) => startedTick < tick) ?? own[0];
  return found === undefined ? null : { runId: found.runId, item: found.item };
}

/** Attempts of one item, and the first attempts of the items of the same step. */
export function attemptsOf(
  attempts: readonly RunAttempt[],
  { runId, item }: ItemKey,
): { readonly own: readonly RunAttempt[]; readonly items: readonly RunAttempt[] } {
  const ofRun = attempts.filter((attempt) => attempt.runId === runId);
  const own = ofRun.filter((attempt) => attempt.item === item);
  const step = own[0]?.step;
  const last = new Map(ofRun.filter((one) => one.step === step).map((one) => [one.item, one]));
  return { own, items: [...last.values()] };
}
