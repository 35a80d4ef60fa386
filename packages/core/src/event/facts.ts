/**
 * Facts about events and their classes, for the engine.
 *
 * @module
 */
import { isOfSecondCopy } from "../errors/second-copy.js";
import type { EventClass, EventRole, WorkflowEvent } from "./event.js";
import { dataOf, isDefined, isEvent, planOf } from "./event-class.js";
import type { StandardSchema } from "./schema.js";

export { isEvent } from "./event-class.js";

/** Returns `true` for an event class. */
export function isEventClass(value: unknown): value is EventClass {
  return typeof value === "function" && isEvent(value.prototype);
}

export function eventTypeOf(eventClass: EventClass): string {
  return planOf(eventClass).type;
}

export function roleOf(of: EventClass | WorkflowEvent): EventRole {
  return planOf(of).role;
}

/** The schemas of an event class: one per field, and schemas of the whole object. */
export function schemasOf(eventClass: EventClass): {
  readonly fields: ReadonlyMap<string, StandardSchema>;
  readonly wholes: readonly StandardSchema[];
} {
  const { keys, schemas, wholes } = planOf(eventClass);
  return { fields: new Map(keys.map((key, index) => [key, schemas[index] as StandardSchema])), wholes };
}

/** Version of an event class; 1 for classes of a second copy without versions. */
export function eventVersionOf(eventClass: EventClass): number {
  return eventClass.version ?? 1;
}

/** The exact class of an event. */
export function classOf(event: WorkflowEvent): EventClass {
  return Object.getPrototypeOf(event).constructor;
}

/** The public fields of an event. */
export function fieldsOf(event: WorkflowEvent): Record<string, unknown> {
  return { ...dataOf(event) };
}

/** One public field, also of an open event. */
export function fieldOf(event: WorkflowEvent, name: string): unknown {
  const data = dataOf(event);
  return Object.hasOwn(data, name) ? data[name] : undefined;
}

/** Recognizes a built-in class, such as `StopEvent`, of another copy of the package. */
export function isForeignBuiltIn(eventClass: EventClass): boolean {
  return isDefined(eventClass) && planOf(eventClass).final && isOfSecondCopy(eventClass.prototype);
}

/** Returns `true` when `sub` is `base` or extends it. */
export function isSubclass(sub: EventClass, base: EventClass): boolean {
  return sub === base || sub.prototype instanceof base;
}

/** Returns `false` for a plain `extends Joke`, which shares the type of another event: `Joke.extend(type)` sets its own. */
export function ownsType(eventClass: EventClass): boolean {
  if (isDefined(eventClass)) return true;
  const parent: EventClass = Object.getPrototypeOf(eventClass);
  return isDefined(parent) && !planOf(parent).final;
}
