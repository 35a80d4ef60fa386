/**
 * What the engine asks about events and their classes.
 *
 * @module
 */
import { isOfSecondCopy } from "../errors/second-copy.js";
import type { EventClass, EventRole, WorkflowEvent } from "./event.js";
import { dataOf, hasPlan, isDefined, planOf } from "./event-class.js";
import type { StandardSchema } from "./standard-schema.js";

/** True for an event of any class, also of a second installed copy. */
export function isEvent(value: unknown): value is WorkflowEvent {
  return hasPlan(value);
}

/** True for a class of events. */
export function isEventClass(value: unknown): value is EventClass {
  return typeof value === "function" && hasPlan(value.prototype);
}

export function eventTypeOf(eventClass: EventClass): string {
  return planOf(eventClass).type;
}

export function roleOf(of: EventClass | WorkflowEvent): EventRole {
  return planOf(of).role;
}

/** What describes the fields of a class: a schema per field, and schemas of the whole object. */
export function schemasOf(eventClass: EventClass): {
  readonly fields: ReadonlyMap<string, StandardSchema>;
  readonly wholes: readonly StandardSchema[];
} {
  const { keys, schemas, wholes } = planOf(eventClass);
  return { fields: new Map(keys.map((key, index) => [key, schemas[index] as StandardSchema])), wholes };
}

/** The version of the fields of a class. A second installed copy may know of none. */
export function eventVersionOf(eventClass: EventClass): number {
  return eventClass.version ?? 1;
}

/** The exact class of an event. */
export function classOf(event: WorkflowEvent): EventClass {
  return Object.getPrototypeOf(event).constructor;
}

/** The public data of an event. */
export function fieldsOf(event: WorkflowEvent): Record<string, unknown> {
  return { ...dataOf(event) };
}

/** One field of the public data, of open events too. */
export function fieldOf(event: WorkflowEvent, name: string): unknown {
  const data = dataOf(event);
  return Object.hasOwn(data, name) ? data[name] : undefined;
}

/** A built-in class, such as `StopEvent`, that is not the one this copy of the package knows. */
export function isForeignBuiltIn(eventClass: EventClass): boolean {
  return isDefined(eventClass) && planOf(eventClass).final && isOfSecondCopy(eventClass.prototype);
}

/** True when `sub` is `base` or extends it. */
export function isSubclass(sub: EventClass, base: EventClass): boolean {
  return sub === base || sub.prototype instanceof base;
}

/** False for a plain `extends Joke`, which has the type of another event: `Joke.extend(type)` gives it its own. */
export function ownsType(eventClass: EventClass): boolean {
  if (isDefined(eventClass)) return true;
  const parent: EventClass = Object.getPrototypeOf(eventClass);
  return isDefined(parent) && !planOf(parent).final;
}
