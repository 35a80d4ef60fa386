import type { EmittableClasses, StepFunction } from "../authoring/step.types.js";
import type { Collect, Join, Trigger } from "../authoring/trigger.types.js";
import type { EventClass } from "../event/event.js";
import { isEventClass } from "../event/facts.js";
import { freeStepOf, methodSteps, type Registration } from "./registration.js";

/** A step as it was declared: as a method, as a field, or with `defineWorkflow`. */
export interface DeclaredStep {
  readonly name: string;
  readonly registration: Registration;
  /** `null` for the method with this key. */
  readonly run: StepFunction | null;
  readonly key: string;
}

export function declareStep(key: string, registration: Registration, run: StepFunction | null): DeclaredStep {
  return { name: registration.options.name ?? key, registration, run, key };
}

/** Lists the decorated methods of a class. */
export function declaredMethods(owner: object): DeclaredStep[] {
  return [...methodSteps(owner)].map(([key, registration]) => declareStep(key, registration, null));
}

/** Lists the steps of an instance: its methods, then its fields. A field replaces a method with the same name. */
export function declaredSteps(instance: object): DeclaredStep[] {
  const steps = new Map(declaredMethods(instance.constructor).map((declared) => [declared.key, declared]));
  for (const [key, value] of Object.entries(instance)) {
    const free = freeStepOf(value);
    if (free) steps.set(key, declareStep(key, free.registration, free.run));
  }
  return [...steps.values()];
}

/** Converts one class, a list, or nothing to a list. */
export function listOf(classes: EventClass | readonly EventClass[] | undefined): readonly EventClass[] {
  return classes === undefined ? [] : [classes].flat();
}

type Emits = EmittableClasses | undefined;

/** Splits `emits` into events that are emitted alone, and those in `many()`. */
export function emissionsOf(emits: Emits): {
  readonly alone: readonly EventClass[];
  readonly elements: readonly EventClass[];
} {
  const entries = listOf(emits as EventClass | undefined);
  return {
    alone: entries.filter((entry) => !isMany(entry)),
    elements: entries.flatMap((entry) => (isMany(entry) ? entry.events : [])),
  };
}

/** Every class in `emits`, in order. */
export function emittedClasses(emits: Emits): readonly EventClass[] {
  return listOf(emits as EventClass | undefined).flatMap((entry) => (isMany(entry) ? entry.events : [entry]));
}

/** Every event class that a step names, in order. Other values are left out. */
export function namedClasses({ registration }: DeclaredStep): EventClass[] {
  const { emits, waits, streams } = registration.options;
  const accepted = registration.kind === "step" ? acceptedClasses(registration.options.on) : [];
  return [...accepted, ...emittedClasses(emits), ...listOf(waits), ...listOf(streams)].filter(isEventClass);
}

/** The event classes in a trigger; for a join, those of all slots. */
export function acceptedClasses(on: Trigger): readonly EventClass[] {
  if (isCollect(on)) return on.events;
  return isJoin(on) ? Object.values(on.slots) : listOf(on as EventClass);
}

export function isCollect(on: Trigger): on is Collect {
  return (on as Partial<Collect> | undefined)?.kind === "collect";
}

export function isJoin(on: Trigger): on is Join {
  return (on as Partial<Join> | undefined)?.kind === "join";
}

export function isMany(entry: unknown): entry is { readonly kind: "many"; readonly events: readonly EventClass[] } {
  return (entry as { kind?: unknown } | undefined)?.kind === "many";
}
