/**
 * Joins: one call per complete set, one event for each slot.
 *
 * Sets are made within one element of the innermost fan-out, or by a common field over the innermost fan-out that
 * contains all slots.
 *
 * @module
 */
import { type JoinIncomplete, JoinIncompleteEvent } from "../../event/built-in-events.js";
import { keyText } from "../../event/equal.js";
import { fieldOf } from "../../event/event.js";
import type { JoinSlot } from "../definition.js";
import type { JoinFeature, JoinStep } from "../optional-modules.js";
import type { EventData, FanOutState, JoinBuffer, PendingEvent } from "../state.js";
import { mergeRecoveries } from "./collect.js";
import { joinIncomplete } from "./engine-events.js";
import { nearestScope } from "./fan-out.js";
import { leftoversOf, noteLeftover } from "./finish.js";
import { enqueue, type FanOutPlace } from "./items.js";
import { publish, type Reduction } from "./reduction.js";

export const joining: JoinFeature = { arrive, leftoverIn, complete, reportLeftovers, missing };

function arrive(reduction: Reduction, step: JoinStep, pendingEvent: PendingEvent): void {
  const place = step.trigger.by === null ? pendingEvent : pairingPlace(reduction, step, pendingEvent);
  const buffers = place.scope === null ? (reduction.state.joins ??= new Map()) : (place.scope.joins ??= new Map());
  const key = keyOf(step, pendingEvent);
  let buffer = buffers.get(key);
  if (!buffer) buffers.set(key, (buffer = { step: step.name, arrivals: new Map(), size: 0 }));
  add(buffer, place === pendingEvent ? pendingEvent : { ...pendingEvent, ...place });
  const set = completeSet(step.trigger.slots, buffer);
  if (set === null) return;
  if (buffer.size === 0) buffers.delete(key);
  const slots: Record<string, EventData> = {};
  for (const [position, slot] of step.trigger.slots.entries()) slots[slot.name] = (set[position] as PendingEvent).event;
  enqueue(reduction, { step: step.name, input: { kind: "set", slots } }, placeOf(set));
}

/**
 * The nearest enclosing fan-out that contains all slots, or the run. An event from deeper inside belongs to its element
 * there.
 */
function pairingPlace(
  { routing }: Reduction,
  { name }: JoinStep,
  pendingEvent: PendingEvent,
): Pick<PendingEvent, "scope" | "index"> {
  const holds = ({ opener }: FanOutState): boolean => routing.steps.get(opener)?.fanOut?.joins.includes(name) === true;
  return nearestScope(pendingEvent, holds) ?? { scope: null, index: 0 };
}

function keyOf({ name, trigger }: JoinStep, { event, index }: PendingEvent): string {
  if (trigger.by === null) return `${name}#${index}`;
  const value = fieldOf(event as never, trigger.by);
  const isText = typeof value !== "object" && typeof value !== "function" && !Object.is(value, -0);
  return `${name}=${typeof value}:${isText ? String(value) : keyText(value)}`;
}

function add(buffer: JoinBuffer, pendingEvent: PendingEvent): void {
  const same = buffer.arrivals.get(pendingEvent.event.type);
  if (same) same.push(pendingEvent);
  else buffer.arrivals.set(pendingEvent.event.type, [pendingEvent]);
  buffer.size++;
}

/**
 * Takes one event for each slot out of the buffer: for each slot the first that fits and leaves enough for the other
 * slots.
 */
function completeSet(slots: readonly JoinSlot[], buffer: JoinBuffer): PendingEvent[] | null {
  const chosen = assign(slots, buffer, []);
  if (chosen === null) return null;
  return chosen.map((type) => {
    const pendingEvents = buffer.arrivals.get(type) as PendingEvent[];
    const pendingEvent = pendingEvents.shift() as PendingEvent;
    if (pendingEvents.length === 0) buffer.arrivals.delete(type);
    buffer.size--;
    return pendingEvent;
  });
}

function assign(slots: readonly JoinSlot[], buffer: JoinBuffer, chosen: readonly string[]): readonly string[] | null {
  const slot = slots[chosen.length];
  if (!slot) return chosen;
  for (const [type, pendingEvents] of buffer.arrivals) {
    if (!slot.accepts.includes(type) || pendingEvents.length <= chosen.filter((other) => other === type).length)
      continue;
    const rest = assign(slots, buffer, [...chosen, type]);
    if (rest) return rest;
  }
  return null;
}

/** The set continues with the element of its first slot. */
function placeOf(set: readonly PendingEvent[]): FanOutPlace {
  const { scope, index } = set[0] as PendingEvent;
  return { scope, index, recoveries: mergeRecoveries(set) };
}

function leftoverIn(event: EventData): JoinIncomplete | null {
  if (!JoinIncompleteEvent.is(event)) return null;
  const { step, missing, events } = event;
  return { step, missing, events };
}

function complete(reduction: Reduction): void {
  const { joins, scopes } = reduction.state;
  if (joins !== null) reportLeftovers(reduction, joins);
  for (const scope of scopes?.values() ?? []) if (scope.joins !== null) reportLeftovers(reduction, scope.joins);
}

function reportLeftovers(reduction: Reduction, buffers: Map<string, JoinBuffer>): void {
  for (const buffer of buffers.values()) {
    if (buffer.size === 0) continue;
    const slots = slotsOf(reduction, buffer.step);
    const arrived = [...buffer.arrivals.keys()];
    const missing = slots
      .filter((slot) => !arrived.some((type) => slot.accepts.includes(type)))
      .map((slot) => slot.name);
    const events = [...buffer.arrivals.values()].flat().map((pendingEvent) => pendingEvent.event);
    noteLeftover(reduction.state, { kind: "join", step: buffer.step, arrived, missing });
    publish(reduction, joinIncomplete(buffer.step, missing, events));
  }
  buffers.clear();
}

function slotsOf(reduction: Reduction, name: string): readonly JoinSlot[] {
  const trigger = reduction.routing.steps.get(name)?.trigger;
  return trigger?.kind === "join" ? trigger.slots : [];
}

function missing(reduction: Reduction): string[] {
  const open = [...(reduction.state.joins?.values() ?? [])].map(
    ({ step, arrivals }) => `the join "${step}" has ${[...arrivals.keys()].join(", ")} and not the rest`,
  );
  const closed = leftoversOf(reduction, "join").map(({ step, arrived, missing }) => {
    const rest = missing.length > 0 ? `nothing for ${missing.join(", ")}` : "not the rest";
    return `the join "${step}" got ${arrived.join(", ")} and ${rest} before its fan-out closed`;
  });
  return [...open, ...closed];
}
