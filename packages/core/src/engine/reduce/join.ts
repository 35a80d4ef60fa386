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
import { fieldOf } from "../../event/facts.js";
import type { JoinSlot } from "../definition.js";
import type { JoinFeature, JoinStep } from "../features.js";
import type { EventData, JoinBuffer, Parcel, Scope } from "../state.js";
import { joinIncomplete } from "./engine-events.js";
import { nearestScope } from "./fan-out.js";
import { mergeRecoveries } from "./gathered.js";
import { enqueue, type Place } from "./items.js";
import { leftoversOf, noteLeftover } from "./stuck.js";
import { publish, type Work } from "./work.js";

export const joining: JoinFeature = { arrive, leftoverIn, complete, reportLeftovers, missing };

function arrive(work: Work, step: JoinStep, parcel: Parcel): void {
  const place = step.trigger.by === null ? parcel : pairingPlace(work, step, parcel);
  const buffers = place.scope === null ? (work.state.joins ??= new Map()) : (place.scope.joins ??= new Map());
  const key = keyOf(step, parcel);
  let buffer = buffers.get(key);
  if (!buffer) buffers.set(key, (buffer = { step: step.name, arrivals: new Map(), size: 0 }));
  add(buffer, place === parcel ? parcel : { ...parcel, ...place });
  const set = completeSet(step.trigger.slots, buffer);
  if (set === null) return;
  if (buffer.size === 0) buffers.delete(key);
  const slots: Record<string, EventData> = {};
  for (const [position, slot] of step.trigger.slots.entries()) slots[slot.name] = (set[position] as Parcel).event;
  enqueue(work, { step: step.name, input: { kind: "set", slots } }, placeOf(set));
}

/**
 * The nearest enclosing fan-out that contains all slots, or the run. An event from deeper inside belongs to its element
 * there.
 */
function pairingPlace({ routing }: Work, { name }: JoinStep, parcel: Parcel): Pick<Parcel, "scope" | "index"> {
  const holds = ({ opener }: Scope): boolean => routing.steps.get(opener)?.fanOut?.joins.includes(name) === true;
  return nearestScope(parcel, holds) ?? { scope: null, index: 0 };
}

function keyOf({ name, trigger }: JoinStep, { event, index }: Parcel): string {
  if (trigger.by === null) return `${name}#${index}`;
  const value = fieldOf(event as never, trigger.by);
  const isText = typeof value !== "object" && typeof value !== "function" && !Object.is(value, -0);
  return `${name}=${typeof value}:${isText ? String(value) : keyText(value)}`;
}

function add(buffer: JoinBuffer, parcel: Parcel): void {
  const same = buffer.arrivals.get(parcel.event.type);
  if (same) same.push(parcel);
  else buffer.arrivals.set(parcel.event.type, [parcel]);
  buffer.size++;
}

/**
 * Takes one event for each slot out of the buffer: for each slot the first that fits and leaves enough for the other
 * slots.
 */
function completeSet(slots: readonly JoinSlot[], buffer: JoinBuffer): Parcel[] | null {
  const chosen = assign(slots, buffer, []);
  if (chosen === null) return null;
  return chosen.map((type) => {
    const parcels = buffer.arrivals.get(type) as Parcel[];
    const parcel = parcels.shift() as Parcel;
    if (parcels.length === 0) buffer.arrivals.delete(type);
    buffer.size--;
    return parcel;
  });
}

function assign(slots: readonly JoinSlot[], buffer: JoinBuffer, chosen: readonly string[]): readonly string[] | null {
  const slot = slots[chosen.length];
  if (!slot) return chosen;
  for (const [type, parcels] of buffer.arrivals) {
    if (!slot.accepts.includes(type) || parcels.length <= chosen.filter((other) => other === type).length) continue;
    const rest = assign(slots, buffer, [...chosen, type]);
    if (rest) return rest;
  }
  return null;
}

/** The set continues with the element of its first slot. */
function placeOf(set: readonly Parcel[]): Place {
  const { scope, index } = set[0] as Parcel;
  return { scope, index, recoveries: mergeRecoveries(set) };
}

function leftoverIn(event: EventData): JoinIncomplete | null {
  if (!JoinIncompleteEvent.is(event)) return null;
  const { step, missing, events } = event;
  return { step, missing, events };
}

function complete(work: Work): void {
  const { joins, scopes } = work.state;
  if (joins !== null) reportLeftovers(work, joins);
  for (const scope of scopes?.values() ?? []) if (scope.joins !== null) reportLeftovers(work, scope.joins);
}

function reportLeftovers(work: Work, buffers: Map<string, JoinBuffer>): void {
  for (const buffer of buffers.values()) {
    if (buffer.size === 0) continue;
    const slots = slotsOf(work, buffer.step);
    const arrived = [...buffer.arrivals.keys()];
    const missing = slots
      .filter((slot) => !arrived.some((type) => slot.accepts.includes(type)))
      .map((slot) => slot.name);
    const events = [...buffer.arrivals.values()].flat().map((parcel) => parcel.event);
    noteLeftover(work.state, { kind: "join", step: buffer.step, arrived, missing });
    publish(work, joinIncomplete(buffer.step, missing, events));
  }
  buffers.clear();
}

function slotsOf(work: Work, name: string): readonly JoinSlot[] {
  const trigger = work.routing.steps.get(name)?.trigger;
  return trigger?.kind === "join" ? trigger.slots : [];
}

function missing(work: Work): string[] {
  const open = [...(work.state.joins?.values() ?? [])].map(
    ({ step, arrivals }) => `the join "${step}" has ${[...arrivals.keys()].join(", ")} and not the rest`,
  );
  const closed = leftoversOf(work, "join").map(({ step, arrived, missing }) => {
    const rest = missing.length > 0 ? `nothing for ${missing.join(", ")}` : "not the rest";
    return `the join "${step}" got ${arrived.join(", ")} and ${rest} before its fan-out closed`;
  });
  return [...open, ...closed];
}
