/** Events that a run shows, and prompts that it waits with, as texts of the store. */

import type { PendingPrompt } from "../../authoring/handler.types.js";
import {
  type CompiledWorkflow,
  decodeTick,
  encodeEvent,
  encodeTick,
  type LiveRun,
  openPrompts,
  roleOf,
  type StreamedEvent,
  type Tick,
  tolerant,
  type WorkflowEvent,
} from "../../host.js";
import { corrupt, parseJson } from "./journal-text.js";

/** Readers of the stream get it with how the run ended, so it is not stored as an event. */
export function isOutcome(event: WorkflowEvent): boolean {
  const role = roleOf(event);
  return role === "stop" || role === "terminal";
}

type Shown = Omit<StreamedEvent, "sequence">;

/** The form is that of the tick which shows it: an event of a child is read by its own workflow. */
function encodeShown(shown: Shown, compiled: CompiledWorkflow): object {
  const tick: Tick = { ...shown, type: "stream.written", atMs: 0, item: null, attempt: 0 };
  return encodeTick(tick, compiled);
}

function decodeShown(json: unknown, compiled: CompiledWorkflow): Shown {
  const tick = decodeTick(json, tolerant(compiled)); // a reader may have older code than the run
  if (tick.type !== "stream.written") throw corrupt(`an event of "${compiled.name}"`, `is a ${tick.type}`);
  const { type: _, atMs: __, item: ___, attempt: ____, ...shown } = tick;
  return shown as Shown;
}

/** Fields that nearly every event has, and its text leaves out. */
const usual = { type: "stream.written", atMs: 0, item: null, attempt: 0, origin: null, promptId: null };

export function shownText(item: Shown, compiled: CompiledWorkflow): string {
  const { origin, promptId, writer, call } = item;
  const { event } =
    origin === null
      ? { event: encodeEvent(item.event, item.event.type, compiled.values) }
      : (encodeShown(item, compiled) as Shown);
  const place = { ...(origin !== null && { origin }), ...(promptId !== null && { promptId }) };
  return JSON.stringify({ event, ...place, writer, call });
}

export function readShown(text: string, compiled: CompiledWorkflow, where: string): Shown {
  return decodeShown({ ...usual, ...(parseJson(text, where) as object) }, compiled);
}

/** Returns the open prompts as JSON; `null` if none is open. */
export function promptsText(runner: LiveRun): string | null {
  const prompts = openOf(runner, null, runner.host.compiled);
  return prompts.length === 0 ? null : JSON.stringify(prompts);
}

function openOf(runner: LiveRun, origin: string | null, compiled: CompiledWorkflow): object[] {
  const { state, host } = runner;
  const { routing } = host;
  const open = openPrompts({ state, routing, registry: host.compiled.registry });
  const own = open.map(({ event, promptId, ...facts }) => ({
    ...facts,
    shown: encodeShown({ event, origin, promptId }, compiled),
  }));
  const below = [...(runner.children?.values() ?? [])].map((child) => {
    const name = child.parent?.name ?? "";
    return openOf(child, origin === null ? name : `${origin}/${name}`, compiled);
  });
  return [...own, ...below.flat()];
}

export function readPrompts(text: string | null, compiled: CompiledWorkflow, where: string): PendingPrompt[] {
  if (text === null) return [];
  const list = parseJson(text, where);
  if (!Array.isArray(list)) throw corrupt(where, "is not a list of prompts");
  return list.map((prompt) => {
    const { runId, shown, step, askedAtMs, dueAtMs, answerType } = (prompt ?? {}) as {
      readonly [name: string]: unknown;
    };
    const { event, promptId } = decodeShown(shown, compiled);
    return {
      promptId: promptId ?? "",
      event,
      runId: String(runId),
      step: textOrNull(step),
      askedAtMs: timeOf(askedAtMs, where),
      dueAtMs: timeOrNull(dueAtMs),
      answerType: textOrNull(answerType),
    };
  });
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

function timeOf(value: unknown, where: string): number {
  const atMs = timeOrNull(value);
  if (atMs === null) throw corrupt(where, "has a prompt without a time");
  return atMs;
}

/** No `Date` could be made of another number. */
const timeOrNull = (value: unknown): number | null =>
  typeof value === "number" && Math.abs(value) <= 8.64e15 ? value : null;
