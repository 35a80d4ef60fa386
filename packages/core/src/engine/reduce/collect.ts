/**
 * Collect steps: the events that have arrived, and their batch. Also inputs with several events, of collects and joins.
 *
 * Joins: one call per complete set, one event for each slot.
 *
 * Sets are made within one element of the innermost fan-out, or by a common field over the innermost fan-out that
 * contains all slots.
 *
 * @module
 */

import { JoinIncompleteEvent, makeEngineEvent } from "../../event/built-in-events.js";
import { keyText } from "../../event/equal.js";
import { fieldOf, type WorkflowEvent } from "../../event/event.js";
import { reviveError } from "../../value/error-record.js";
import type { CollectTrigger, JoinSlot } from "../definition.js";
import {
  type CollectFeature,
  type CollectStep,
  type GatheredFeature,
  type GatheredInput,
  type JoinFeature,
  type JoinStep,
  optionalModules,
} from "../optional-modules.js";
import { keepArrival, type Route } from "../routing.js";
import type {
  Arrival,
  EventData,
  Failure,
  FanOutState,
  Gathered,
  JoinBuffer,
  PendingEvent,
  Recoveries,
  SettledMember,
  StepInput,
  WorkItem,
} from "../state.js";
import { storedFailure } from "./engine-events.js";
import { cancelElement, cancelScope, type Element, isSettling, nearestScope } from "./fan-out.js";
import { leftoversOf, noteLeftover } from "./finish.js";
import { enqueue, type FanOutPlace } from "./items.js";
import { publish, type Reduction } from "./reduction.js";

export const collecting: CollectFeature = { begin, gather, fireBatch, settle, missing: missingEvents };

function begin({ state, routing }: Reduction): void {
  const collects = routing.definition.steps.filter((step) => step.trigger.kind === "collect");
  if (collects.length > 0) state.unused = { unfired: new Set(collects.map((step) => step.name)), leftovers: new Map() };
}

/**
 * Adds an event to the batch of the nearest enclosing fan-out that the step gathers. Returns `false` when there is
 * none: then no batch collects it.
 */
function gather(reduction: Reduction, step: CollectStep, pendingEvent: PendingEvent): boolean {
  const { event, recoveries } = pendingEvent;
  const found = scopeOf(step, pendingEvent);
  if (found === null) {
    noteLeftover(reduction.state, { kind: "collect", step: step.name, arrived: event.type });
    return false;
  }
  const { scope, index } = found;
  if (scope.closed) return true; // another step has cancelled the rest of the fan-out
  const gathered = gatheredAt(scope, step.name);
  if (gathered.fired) return true; // arrived after the n-th: not in the batch
  const path = scope === pendingEvent.scope ? null : pathIn(scope, pendingEvent);
  gathered.arrivals.push({ index, path, event, recoveries });
  if (gathered.arrivals.length === step.trigger.take) {
    fireBatch(reduction, scope, step.name);
    if (step.trigger.rest === "cancel") cancelScope(reduction, scope);
  }
  return true;
}

/** The usual case is the fan-out in which the event arose. */
function scopeOf({ name }: CollectStep, { scope, index }: PendingEvent): Element | null {
  if (scope === null) return null;
  if (scope.collects.includes(name)) return { scope, index };
  return nearestScope({ scope: scope.parent, index: scope.parentIndex }, (outer) => outer.collects.includes(name));
}

/** Path from an element of `outer` to where the event arose, from the outside inwards. */
function pathIn(outer: FanOutState, { scope, index }: PendingEvent): number[] {
  const path: number[] = [];
  let element = index;
  for (let inner = scope; inner !== null && inner !== outer; element = inner.parentIndex, inner = inner.parent)
    path.unshift(element);
  return path;
}

function gatheredAt(scope: FanOutState, name: string): Gathered {
  scope.gathered ??= new Map();
  let gathered = scope.gathered.get(name);
  if (!gathered) scope.gathered.set(name, (gathered = { arrivals: [], fired: false }));
  return gathered;
}

/** Makes one call of a collect step with the arrived events, in the scope around the fan-out. */
function fireBatch(reduction: Reduction, scope: FanOutState, name: string): void {
  const trigger = reduction.routing.steps.get(name)?.trigger;
  const gathered = gatheredAt(scope, name);
  if (trigger?.kind !== "collect" || gathered.fired) return;
  gathered.fired = true;
  reduction.state.unused?.unfired.delete(name);
  const { arrivals } = gathered;
  const recoveries = mergeRecoveries(arrivals);
  enqueue(
    reduction,
    { step: name, input: batchOf(trigger, scope, arrivals) },
    { scope: scope.parent, index: scope.parentIndex, recoveries },
  );
}

function batchOf({ settle, order }: CollectTrigger, scope: FanOutState, arrivals: readonly Arrival[]): StepInput {
  const isInOrder = order === "emitted";
  const sorted = isInOrder ? sortByPlace(arrivals, scope.size) : arrivals;
  if (!settle) return { kind: "batch", members: sorted.map((arrival) => arrival.event) };
  const members = settledMembers(scope, sorted);
  return { kind: "settled", members: isInOrder ? sortByPlace(members, scope.size) : members };
}

/** Returns the members of a batch: every element of a closed fan-out; of one that still runs (`take`), the known elements. */
function settledMembers(scope: FanOutState, arrivals: readonly Arrival[]): SettledMember[] {
  const members: SettledMember[] = arrivals.map(({ index, event }) => ({ status: "ok", index, event }));
  const arrived = new Set(arrivals.map((arrival) => arrival.index));
  for (const [index, failure] of scope.failures ?? []) members.push({ status: "failed", index, failure });
  if (scope.closed) {
    for (let index = 0; index < scope.size; index++) {
      if (!arrived.has(index) && !scope.failures?.has(index)) members.push({ status: "empty", index });
    }
  }
  return members;
}

interface Placed {
  readonly index: number;
  readonly path?: readonly number[] | null;
}

/** Takes one pass when every element arrived at most once: sorting ten thousand elements costs as much as running them. */
function sortByPlace<Item extends Placed>(items: readonly Item[], size: number): Item[] {
  const placed = new Array<Item | undefined>(size);
  for (const item of items) {
    if (placed[item.index] !== undefined) return [...items].sort(comparePlaces);
    placed[item.index] = item;
  }
  return placed.filter((item) => item !== undefined);
}

const here: readonly number[] = [];

/**
 * Compares in the order of emission: by the element, then by the places in inner fan-outs. Events from outside of inner
 * fan-outs come first.
 */
function comparePlaces(left: Placed, right: Placed): number {
  if (left.index !== right.index) return left.index - right.index;
  const [inLeft, inRight] = [left.path ?? here, right.path ?? here];
  for (let depth = 0; depth < Math.max(inLeft.length, inRight.length); depth++) {
    const difference = (inLeft[depth] ?? -1) - (inRight[depth] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Looks for the nearest enclosing fan-out with a step that collects failures: this item and its own fan-out then end. */
function settle(reduction: Reduction, item: WorkItem, failure: Failure): boolean {
  const found = nearestScope(item, (scope) => scope.collects.some((name) => isSettling(reduction, name)));
  if (found === null) return false;
  const { scope, index } = found;
  scope.failures ??= new Map();
  if (!scope.failures.has(index)) scope.failures.set(index, failure);
  cancelElement(reduction, scope, index);
  return true;
}

function missingEvents(reduction: Reduction): string[] {
  const { unused } = reduction.state;
  const unfired = [...(unused?.unfired ?? [])].filter(
    (step) => reduction.routing.steps.has(step) && (unused?.leftovers.get(step)?.kind ?? "nothing") === "nothing",
  );
  return [
    ...leftoversOf(reduction, "collect").map(
      ({ step, arrived }) => `${arrived} reached the collect step "${step}" outside of the fan-outs that it gathers`,
    ),
    ...unfired.map((step) => `the collect step "${step}" has had no batch: no fan-out led to it`),
  ];
}

// ---- inputs with several events: the batch of a collect step, the set of a join

export const gathering: GatheredFeature = { offer, eventsOf, argumentOf, shapeOf, inShape };

function offer(reduction: Reduction, { collects, joins }: Route, pendingEvent: PendingEvent): boolean {
  const { step: only } = pendingEvent;
  let taken = false;
  for (const step of collects)
    if ((only === null || only === step.name) && optionalModules.collect?.gather(reduction, step, pendingEvent))
      taken = true;
  for (const step of joins) {
    if (only !== null && only !== step.name) continue;
    optionalModules.join?.arrive(reduction, step, pendingEvent);
    taken = true;
  }
  return taken;
}

function eventsOf(input: GatheredInput): readonly EventData[] {
  switch (input.kind) {
    case "batch":
      return input.members;
    case "settled":
      return input.members.flatMap((member) => (member.status === "ok" ? [member.event] : []));
    case "set":
      return Object.values(input.slots);
  }
}

/** A copy for each attempt, which may sort it or take from it. */
function argumentOf(input: GatheredInput): unknown {
  switch (input.kind) {
    case "batch":
      return [...input.members];
    case "settled":
      return input.members.map((member) => ({
        ...member,
        ...(member.status === "failed" && { failure: toStepFailure(member.failure) }),
      }));
    case "set":
      return { ...input.slots };
  }
}

function toStepFailure(failure: Failure) {
  return { ...storedFailure(failure), error: reviveError(failure.error) };
}

/** A batch or a set has, of each handler, the recoveries of the event that used most of them. */
export function mergeRecoveries(events: readonly Pick<PendingEvent, "recoveries">[]): Recoveries | null {
  let merged: Record<string, number> | null = null;
  for (const { recoveries } of events) {
    if (recoveries === null) continue;
    merged ??= {};
    for (const name in recoveries) merged[name] = Math.max(merged[name] ?? 0, recoveries[name] ?? 0);
  }
  return merged;
}

function shapeOf(input: StepInput): Failure["shape"] {
  if (input.kind === "event") return undefined;
  return input.kind === "set" ? Object.keys(input.slots) : "batch";
}

function inShape(events: readonly EventData[], shape: NonNullable<Failure["shape"]>): unknown {
  if (shape === "batch") return events;
  return Object.fromEntries(shape.map((slot, index) => [slot, events[index] as EventData]));
}

export const joining: JoinFeature = { arrive, complete, reportLeftovers, missing };

function arrive(reduction: Reduction, step: JoinStep, pendingEvent: PendingEvent): void {
  const place = step.trigger.by === null ? pendingEvent : pairingPlace(reduction, step, pendingEvent);
  const buffers = place.scope === null ? (reduction.state.joins ??= new Map()) : (place.scope.joins ??= new Map());
  const key = keyOf(step, pendingEvent);
  let buffer = buffers.get(key);
  if (!buffer) buffers.set(key, (buffer = { step: step.name, arrivals: new Map(), size: 0 }));
  keepArrival(buffer, place === pendingEvent ? pendingEvent : { ...pendingEvent, ...place });
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

function complete(reduction: Reduction): void {
  const { joins, scopes } = reduction.state;
  if (joins !== null) reportLeftovers(reduction, joins);
  for (const scope of scopes?.values() ?? []) if (scope.joins !== null) reportLeftovers(reduction, scope.joins);
}

function reportLeftovers(reduction: Reduction, buffers: Map<string, JoinBuffer>): void {
  for (const buffer of buffers.values()) {
    if (buffer.size === 0) continue;
    const trigger = reduction.routing.steps.get(buffer.step)?.trigger;
    const slots = trigger?.kind === "join" ? trigger.slots : [];
    const arrived = [...buffer.arrivals.keys()];
    const missing = slots
      .filter((slot) => !arrived.some((type) => slot.accepts.includes(type)))
      .map((slot) => slot.name);
    const events = [...buffer.arrivals.values()].flat().map(({ event }) => event as WorkflowEvent);
    noteLeftover(reduction.state, { kind: "join", step: buffer.step, arrived, missing });
    publish(reduction, makeEngineEvent(JoinIncompleteEvent, { step: buffer.step, missing, events }));
  }
  buffers.clear();
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
