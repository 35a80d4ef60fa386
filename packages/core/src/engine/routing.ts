/**
 * A definition, indexed: where each event goes. Made once per definition.
 *
 * @module
 */
import type { EventRole } from "../event/event.js";
import type { CollectTrigger, Definition, FailureTrigger, JoinTrigger, StepDefinition } from "./definition.js";
import { matchesType } from "./matching.js";

export interface Routing {
  readonly definition: Definition;
  readonly steps: ReadonlyMap<string, StepDefinition>;
  readonly roles: ReadonlyMap<string, EventRole>;
  /** By event type. */
  readonly routes: ReadonlyMap<string, Route>;
  /** The error handler of a step. */
  readonly handlers: ReadonlyMap<string, Handler>;
  /** Steps that take events from outside. */
  readonly external: readonly StepDefinition[];
  /** The collect steps of a fan-out: see `collectsOf`. */
  readonly collects: Map<readonly string[] | null, Map<string, readonly string[]>>;
  readonly reach: Map<string, ReadonlySet<string>>;
}

export interface Route {
  readonly steps: readonly StepDefinition[];
  readonly collects: readonly (StepDefinition & { readonly trigger: CollectTrigger })[];
  readonly joins: readonly (StepDefinition & { readonly trigger: JoinTrigger })[];
  /** Steps that take it with `waitForEvent`. */
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
    handlers: handlersOf(definition),
    external: definition.steps.filter((step) => acceptedTypes(step).some((type) => isExternal(roles.get(type)))),
    collects: new Map(),
    reach: new Map(),
  };
}

/** Every event type that starts this step or goes into its batch or set. */
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
  const takers = definition.steps.filter((step) => matchesType(acceptedTypes(step), type));
  return {
    steps: takers.filter((step) => step.trigger.kind === "event"),
    collects: takers.filter((step) => step.trigger.kind === "collect") as never,
    joins: takers.filter((step) => step.trigger.kind === "join") as never,
    waiting: definition.steps.filter((step) => matchesType(step.waits, type)).map((step) => step.name),
  };
}

/** A handler with names beats the one without; handlers are never covered. */
function handlersOf({ steps }: Definition): Map<string, Handler> {
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

/**
 * The collect steps that fire for a fan-out opened by `opener`, even when nothing arrives.
 *
 * Which steps fan out is not declared, so a collect step behind several fan-outs could belong to each of them. It belongs
 * to the one where its own output can be taken: by an ordinary step, or by a collect step of the fan-out around
 * (`around`, null for none). Where it cannot, the collect steps behind it are asked instead.
 */
export function collectsOf(routing: Routing, opener: string, around: readonly string[] | null): readonly string[] {
  let known = routing.collects.get(around);
  if (!known) routing.collects.set(around, (known = new Map()));
  let found = known.get(opener);
  if (!found) known.set(opener, (found = findCollects(routing, opener, around ?? [])));
  return found;
}

function findCollects(routing: Routing, opener: string, around: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const next = [opener];
  for (let name = next.pop(); name !== undefined; name = next.pop()) {
    const step = routing.steps.get(name);
    for (const type of step?.emits ?? []) {
      const route = routing.routes.get(type);
      for (const follower of [...(route?.steps ?? []), ...(route?.joins ?? [])]) visit(follower.name);
      for (const collect of route?.collects ?? []) {
        if (around.includes(collect.name)) continue; // it gathers the fan-out around
        if (isTakenOutside(routing, collect, around)) found.add(collect.name);
        else visit(collect.name);
      }
    }
    const handler = routing.handlers.get(name);
    // The opener's own handler takes its place in the fan-out around.
    if (handler && name !== opener) visit(handler.name);
  }
  return [...found];

  function visit(name: string): void {
    if (!seen.has(name)) next.push(name);
    seen.add(name);
  }
}

function isTakenOutside(routing: Routing, collect: StepDefinition, around: readonly string[]): boolean {
  if (collect.emits.length === 0) return true;
  return collect.emits.some((type) => {
    const route = routing.routes.get(type);
    if (!route || routing.roles.get(type) !== "event") return true;
    const onlyCollected = route.steps.length + route.joins.length + route.waiting.length === 0;
    return !onlyCollected || route.collects.some((outer) => around.includes(outer.name));
  });
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
