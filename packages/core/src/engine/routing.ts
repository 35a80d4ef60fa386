/**
 * An indexed definition: where each event goes. Made once per definition.
 *
 * @module
 */

import type { EventRole } from "../event/event.js";
import type { CollectTrigger, Definition, FailureTrigger, JoinTrigger, StepDefinition } from "./definition.js";
import type { FanOutState, JoinBuffer, PendingEvent, RunState, WaitRecord } from "./state.js";

export interface Routing {
  readonly definition: Definition;
  readonly steps: ReadonlyMap<string, StepDefinition>;
  readonly roles: ReadonlyMap<string, EventRole>;
  /** Routes by event type. */
  readonly routes: ReadonlyMap<string, Route>;
  /** Error handlers by step. */
  readonly handlers: ReadonlyMap<string, Handler>;
  /** Steps that accept events from outside. */
  readonly external: readonly StepDefinition[];
  readonly reach: Map<string, ReadonlySet<string>>;
}

export interface Route {
  readonly steps: readonly StepDefinition[];
  readonly collects: readonly (StepDefinition & { readonly trigger: CollectTrigger })[];
  readonly joins: readonly (StepDefinition & { readonly trigger: JoinTrigger })[];
  /** Steps that take the event with `waitForEvent`. */
  readonly waiting: readonly string[];
}

export interface Handler {
  readonly name: string;
  readonly maxRecoveries: number;
}

export function createRouting(definition: Definition): Routing {
  const steps = new Map(definition.steps.map((step) => [step.name, step]));
  const types = new Set(Object.keys(definition.roles));
  for (const step of definition.steps) for (const type of [...acceptedTypes(step), ...step.waits]) types.add(type);
  const roles = new Map(Object.entries(definition.roles));
  return {
    definition,
    steps,
    roles,
    routes: new Map([...types].map((type) => [type, routeOf(definition, type)])),
    handlers: handlersOf(definition.steps),
    external: definition.steps.filter((step) => acceptedTypes(step).some((type) => isExternal(roles.get(type)))),
    reach: new Map(),
  };
}

/** Every event type that starts this step, or goes into its batch or set. */
export function acceptedTypes({ trigger }: StepDefinition): readonly string[] {
  switch (trigger.kind) {
    case "event":
    case "collect":
      return trigger.accepts;
    case "join":
      return [...new Set(trigger.slots.flatMap((slot) => slot.accepts))];
    case "failure":
      return [];
  }
}

export function isExternal(role: EventRole | undefined): boolean {
  return role === "external" || role === "humanResponse";
}

function routeOf(definition: Definition, type: string): Route {
  const takers = definition.steps.filter((step) => acceptedTypes(step).includes(type));
  return {
    steps: takers.filter((step) => step.trigger.kind === "event"),
    collects: takers.filter((step) => step.trigger.kind === "collect") as never,
    joins: takers.filter((step) => step.trigger.kind === "join") as never,
    waiting: definition.steps.filter((step) => step.waits.includes(type)).map((step) => step.name),
  };
}

/** A handler with names wins over one without; handlers themselves are never covered. */
export function handlersOf(steps: readonly StepDefinition[]): Map<string, Handler> {
  const handlers = new Map<string, Handler>();
  const failing = steps.filter((step) => step.trigger.kind === "failure") as (StepDefinition & {
    trigger: FailureTrigger;
  })[];
  for (const { name, trigger } of [...failing].sort(
    (left, right) => Number(left.trigger.steps !== null) - Number(right.trigger.steps !== null),
  )) {
    const covered = trigger.steps ?? steps.filter((step) => step.trigger.kind !== "failure").map((step) => step.name);
    for (const step of covered) handlers.set(step, { name, maxRecoveries: trigger.maxRecoveries });
  }
  return handlers;
}

/** The steps that can still run once `name` runs, itself included. */
export function reachOf(routing: Routing, name: string): ReadonlySet<string> {
  const known = routing.reach.get(name);
  if (known) return known;
  const reach = new Set([name]);
  for (const reached of reach) {
    for (const type of routing.steps.get(reached)?.emits ?? []) {
      const route = routing.routes.get(type);
      for (const step of [...(route?.steps ?? []), ...(route?.collects ?? []), ...(route?.joins ?? [])])
        reach.add(step.name);
    }
    const handler = routing.handlers.get(reached);
    if (handler) reach.add(handler.name);
  }
  routing.reach.set(name, reach);
  return reach;
}

// ---- facts that follow from the rest of a run: which waits an event finds, and how much is open in a fan-out
// The reducer keeps them up to date. A snapshot leaves them out, and its reader makes them again.

/** Adds an event that waits in a join. */
export function keepArrival(buffer: JoinBuffer, pendingEvent: PendingEvent): void {
  const same = buffer.arrivals.get(pendingEvent.event.type);
  if (same) same.push(pendingEvent);
  else buffer.arrivals.set(pendingEvent.event.type, [pendingEvent]);
  buffer.size++;
}

/** Lists a wait, so that events and answers find it. */
export function listWait(state: RunState, wait: WaitRecord): void {
  state.waits ??= new Map();
  for (const type of wait.accepts) {
    const waits = state.waits.get(type);
    if (waits) waits.push(wait);
    else state.waits.set(type, [wait]);
  }
  if (wait.promptId === null || wait.prompt === null) return;
  state.prompts ??= new Map();
  const { promptId, prompt, openedAtMs, item } = wait;
  const step = state.items.get(item)?.step ?? null;
  state.prompts.set(promptId, { promptId, event: prompt, wait, step, askedAtMs: openedAtMs });
}

/** Work for one element of the fan-out begins. */
export function enter(scope: FanOutState, index: number): void {
  scope.open++;
  if (scope.pending !== null) scope.pending.set(index, (scope.pending.get(index) ?? 0) + 1);
}
