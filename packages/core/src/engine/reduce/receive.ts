/**
 * Events from outside: delivered to the steps and calls that accept them, kept for a later wait, or refused with a reason.
 *
 * @module
 */

import { sameValue } from "../../event/equal.js";
import { fieldOf } from "../../event/event.js";
import { optionalModules } from "../optional-modules.js";
import { acceptedTypes, isExternal, reachOf } from "../routing.js";
import type { EventData, OpenPrompt, PendingEvent, StepInput, WaitRecord } from "../state.js";
import { type EventReceived, promptClosed, type Receipt, refused } from "../tick.js";
import { enqueue, isOpen, unlistWait, wake } from "./items.js";
import { answerSender, emitCommand, publish, type Reduction } from "./reduction.js";

export function onEventReceived(reduction: Reduction, tick: EventReceived): void {
  const receipt = tick.promptId === null ? take(reduction, tick) : answer(reduction, tick, tick.promptId);
  if (tick.ticket !== null) answerSender(reduction, tick.ticket, receipt);
}

function take(reduction: Reduction, tick: EventReceived): Receipt {
  const pendingEvent: PendingEvent = { event: tick.event, scope: null, index: 0, recoveries: null, step: tick.step };
  if (tick.step !== null && !reduction.routing.steps.has(tick.step)) {
    const known = [...reduction.routing.steps.keys()].join(", ");
    return refused("STEP_UNKNOWN", `There is no step "${tick.step}": name one of ${known}.`);
  }
  if (offer(reduction, pendingEvent)) {
    closeEmittedPrompt(reduction, tick.event.type);
    return accepted(reduction);
  }
  const { inboxSize } = reduction.routing.definition;
  if ((reduction.state.inbox?.length ?? 0) >= inboxSize)
    return refused("INBOX_FULL", `The run keeps at most ${inboxSize} events that no step accepts yet: send it later.`);
  if (keep(reduction, pendingEvent)) return accepted(reduction);
  const refusal = tick.step === null ? "No step accepts" : `Step "${tick.step}" does not accept`;
  const hint = `${refusal} ${tick.event.type} now, and none that can still run waits for it.`;
  return refused("EVENT_NOT_ACCEPTED", hint);
}

function accepted({ state }: Reduction): Receipt {
  return { status: "accepted", sequence: state.ticks };
}

/** Answers exactly one prompt. */
function answer(reduction: Reduction, tick: EventReceived, promptId: string): Receipt {
  const prompt = reduction.state.prompts?.get(promptId);
  if (!prompt) return promptClosed(promptId);
  if (prompt.wait === null) return answerEmitted(reduction, tick, prompt);
  const { wait } = prompt;
  const item = reduction.state.items.get(wait.item);
  if (!item || !wait.accepts.includes(tick.event.type) || !matchesWhere(wait.where, tick.event)) {
    const where = wait.where ? ` where ${JSON.stringify(wait.where)}` : "";
    return refused("EVENT_NOT_ACCEPTED", `Prompt ${promptId} takes ${wait.accepts.join(" or ")}${where}.`);
  }
  resolveWait(reduction, wait, tick.event);
  return accepted(reduction);
}

function answerEmitted(reduction: Reduction, tick: EventReceived, { promptId }: OpenPrompt): Receipt {
  const pendingEvent: PendingEvent = { event: tick.event, scope: null, index: 0, recoveries: null, step: null };
  if (!offer(reduction, pendingEvent)) return refused("EVENT_NOT_ACCEPTED", `No step accepts ${tick.event.type} now.`);
  reduction.state.prompts?.delete(promptId);
  return accepted(reduction);
}

/** An answer without a prompt id closes the oldest prompt that a step has emitted. */
function closeEmittedPrompt(reduction: Reduction, type: string): void {
  const { prompts } = reduction.state;
  if (prompts === null || !isExternal(reduction.routing.roles.get(type))) return;
  if (!reduction.routing.external.some((step) => acceptedTypes(step).includes(type))) return;
  for (const prompt of prompts.values()) {
    if (prompt.wait !== null) continue;
    prompts.delete(prompt.promptId);
    return;
  }
}

// ---- delivery of events

/**
 * Delivers an event to the oldest wait that it matches, and to every step that accepts it, except the step of that wait.
 * Returns `false` if no step accepted it.
 */
function offer(reduction: Reduction, pendingEvent: PendingEvent): boolean {
  const { event, step: only } = pendingEvent;
  const answered = reduction.state.waits === null ? null : answerWait(reduction, event, only);
  let taken = answered !== null;
  const route = reduction.routing.routes.get(event.type);
  if (!route) return taken;
  let input: StepInput | null = null;
  for (const { name } of route.steps) {
    if (name === answered || (only !== null && only !== name)) continue;
    input ??= { kind: "event", event };
    enqueue(reduction, { step: name, input }, pendingEvent);
    taken = true;
  }
  return optionalModules.gathered?.offer(reduction, route, pendingEvent) === true || taken;
}

/**
 * Delivers what a step emitted or sent. A prompt is shown; an event that no step accepts yet is kept for a step that waits
 * for it.
 *
 * @param from The step that it comes from, when that is known.
 */
export function deliver(reduction: Reduction, pendingEvent: PendingEvent, from: string | null = null): void {
  if (pendingEvent.scope?.closed) return;
  const isPrompt = reduction.routing.roles.get(pendingEvent.event.type) === "inputRequired";
  if (isPrompt) show(reduction, pendingEvent.event, from);
  if (offer(reduction, pendingEvent) || isPrompt) return;
  if (keep(reduction, pendingEvent)) return;
  emitCommand(reduction, {
    type: "note",
    note: { kind: "event.unhandled", event: pendingEvent.event, step: pendingEvent.step },
  });
}

function show(reduction: Reduction, event: EventData, step: string | null): void {
  const { state } = reduction;
  const promptId = `${state.runId}:${state.nextId++}`;
  state.prompts ??= new Map();
  state.prompts.set(promptId, { promptId, event, wait: null, step, askedAtMs: state.atMs });
  publish(reduction, event, { promptId, origin: null });
}

// ---- events that arrive before a step waits for them

/** Keeps an event when a step that can still run (the named one, if any) waits for its type. */
function keep(reduction: Reduction, pendingEvent: PendingEvent): boolean {
  const waiting = reduction.routing.routes.get(pendingEvent.event.type)?.waiting;
  if (!waiting?.some((name) => isFor(pendingEvent, name) && canRun(reduction, name))) return false;
  reduction.state.inbox ??= [];
  reduction.state.inbox.push(pendingEvent);
  return true;
}

function isFor({ step }: PendingEvent, name: string): boolean {
  return step === null || step === name;
}

/** The oldest kept event that this wait of this step takes. */
export function takeKept(reduction: Reduction, step: string, wait: WaitRecord): PendingEvent | null {
  const { inbox } = reduction.state;
  if (inbox === null) return null;
  const position = inbox.findIndex(
    (kept) => isFor(kept, step) && wait.accepts.includes(kept.event.type) && matchesWhere(wait.where, kept.event),
  );
  if (position < 0) return null;
  return inbox.splice(position, 1)[0] as PendingEvent;
}

function canRun(reduction: Reduction, name: string): boolean {
  const { routing, state } = reduction;
  if (routing.external.some((step) => reachOf(routing, step.name).has(name))) return true;
  const seen = new Set<string>();
  for (const item of state.items.values()) {
    if (seen.has(item.step)) continue;
    seen.add(item.step);
    if (reachOf(routing, item.step).has(name)) return true;
  }
  return (state.timers?.toArray() ?? []).some(
    (timer) =>
      timer.kind === "send" &&
      (routing.routes.get(timer.pendingEvent.event.type)?.steps ?? []).some((step) =>
        reachOf(routing, step.name).has(name),
      ),
  );
}

// ---- answers to open calls: an event, an answer, or a due time

/** Answers the oldest open wait that this event matches (of this step, if one is named). Returns the name of its step. */
function answerWait(reduction: Reduction, event: EventData, step: string | null): string | null {
  for (const wait of reduction.state.waits?.get(event.type) ?? []) {
    const item = reduction.state.items.get(wait.item);
    if (!item || (step !== null && item.step !== step) || !matchesWhere(wait.where, event)) continue;
    resolveWait(reduction, wait, event);
    return item.step;
  }
  return null;
}

export function resolveWait(reduction: Reduction, wait: WaitRecord, event: EventData): void {
  unlistWait(reduction, wait);
  wait.status = "resolved";
  wait.event = event;
  const item = reduction.state.items.get(wait.item);
  if (item) wake(reduction, item, wait);
}

/** A sleep has ended, a wait has timed out, or a call may begin its next attempt. */
export function onCallDue(reduction: Reduction, id: number, call: string): void {
  const item = reduction.state.items.get(id);
  const record = item?.calls?.get(call);
  if (!item || !isOpen(record)) return;
  if (record.kind === "wait") {
    record.timer = null;
    unlistWait(reduction, record);
    record.status = "timedOut";
  } else if (record.kind === "sleep") {
    record.timer = null;
    record.status = "done";
  } else if (record.kind === "effect") {
    record.timer = record.dueAtMs = null;
    record.status = "working";
  }
  wake(reduction, item, record);
}

/** Returns `true` when every field named in `where` has its value. */
function matchesWhere(where: Readonly<Record<string, unknown>> | null, event: EventData): boolean {
  if (where === null) return true;
  for (const name in where) if (!sameValue(fieldOf(event as never, name), where[name])) return false;
  return true;
}
