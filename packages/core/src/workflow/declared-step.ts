import type { EventClass } from "../event/event.js";
import { isEventClass } from "../event/facts.js";
import { freeStepOf, methodSteps, type Registration } from "../step/registration.js";
import type { EmittableClasses, StepFunction } from "../step/step.types.js";
import type { Collect, Join, Trigger } from "../step/trigger.js";

/** A step as it was written: as a method, as a field, or with `defineWorkflow`. */
export interface DeclaredStep {
  readonly name: string;
  readonly registration: Registration;
  /** Null for the method of this key. */
  readonly run: StepFunction | null;
  readonly key: string;
}

export function declareStep(key: string, registration: Registration, run: StepFunction | null): DeclaredStep {
  return { name: registration.options.name ?? key, registration, run, key };
}

/** The decorated methods of a class. */
export function declaredMethods(owner: object): DeclaredStep[] {
  return [...methodSteps(owner)].map(([key, registration]) => declareStep(key, registration, null));
}

/** The steps of an instance: its methods, then its fields. A field takes the place of a method of its name. */
export function declaredSteps(instance: object): DeclaredStep[] {
  const steps = new Map(declaredMethods(instance.constructor).map((declared) => [declared.key, declared]));
  for (const [key, value] of Object.entries(instance)) {
    const free = freeStepOf(value);
    if (free) steps.set(key, declareStep(key, free.registration, free.run));
  }
  return [...steps.values()];
}

/** One class, several, or none, as a list. */
export function listOf(classes: EventClass | readonly EventClass[] | undefined): readonly EventClass[] {
  return classes === undefined ? [] : [classes].flat();
}

type Emits = EmittableClasses | undefined;

/** What `emits` lists: by itself, and in `many()`. */
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

/** Every class in `emits`, in the order in which it is read. */
export function emittedClasses(emits: Emits): readonly EventClass[] {
  return listOf(emits as EventClass | undefined).flatMap((entry) => (isMany(entry) ? entry.events : [entry]));
}

/** Every event class a step names, in the order it is read. What is no event class is left out. */
export function namedClasses({ registration }: DeclaredStep): EventClass[] {
  const { emits, waits, streams } = registration.options;
  const accepted = registration.kind === "step" ? acceptedClasses(registration.options.on) : [];
  return [...accepted, ...emittedClasses(emits), ...listOf(waits), ...listOf(streams)].filter(isEventClass);
}

/** The event classes in a trigger, of all slots of a join. */
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
