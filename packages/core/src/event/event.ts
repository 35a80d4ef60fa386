/**
 * Events: what steps accept and emit.
 *
 * Two classes with the same fields are different events, because the literal `type` is part of the instance type: the
 * compiler distinguishes them, `switch (ev.type)` narrows, and "exact class" means the same to the compiler and the
 * engine.
 *
 * @module
 */

import { isOfSecondCopy } from "../errors/workflow-error.js";
import { isObject } from "../value/kind.js";
import type { EventClass, EventFacts, EventRole, TypeHint, WorkflowEvent } from "./event.types.js";
import { dataOf, defineEvent, isDefined, isEvent, planOf } from "./event-class.js";
import type { FieldSchemas, FieldsIn, FieldsOut, StandardSchema } from "./schema.js";

export type { EventClass, EventFacts, EventRole, eventFacts, WorkflowEvent } from "./event.types.js";

/** Result of `event(...)` and `StartEvent.define(...)`: a class to extend. */
export interface EventBase<Type extends string, Facts extends EventFacts> {
  /** @throws {WorkflowError} `EVENT_INVALID` naming every invalid field, `SCHEMA_ASYNC`. */
  new (...fields: FieldsArgument<Facts["input"]>): WorkflowEvent<Type, Facts> & InstanceFields<Facts["fields"]>;
  readonly type: Type;
  /**
   * Version of the fields: an integer, stored with every event. Increase it when stored events would no longer be
   * valid. A class made with `extend` has the version of its base unless it sets its own.
   *
   * @default 1
   */
  readonly version: number;
  /**
   * Converts the fields of an event that an older version has stored to those of this version (after defaults and
   * transforms). The result is checked; missing fields take their defaults. Without `migrate`, stored fields are only
   * checked.
   *
   * @example
   * class Joke extends event("Joke", { text: z.string(), rating: z.number() }) {
   *   static override readonly version = 2;
   *   static override migrate(fields: Record<string, unknown>, from: number) {
   *     return { rating: 0, ...fields };
   *   }
   * }
   */
  migrate(fields: Record<string, unknown>, from: number): object;
  /** Returns `true` for an instance of exactly this class. */
  is<Event extends WorkflowEvent>(this: EventClass<Event>, value: unknown): value is Event;
  /**
   * Makes a base class for an event with these fields and additional ones. Steps on this class accept it only with
   * `subclasses: true`.
   */
  extend<const SubType extends string, Shape extends EventShape = {}>(
    type: SubType,
    shape?: Shape,
  ): EventBase<
    SubType,
    EventFacts<
      Facts["role"],
      Facts["input"] & FieldsIn<Shape>,
      Facts["fields"] & FieldsOut<Shape>,
      Facts["lineage"] | SubType
    >
  >;
}

/**
 * Class to extend of an event with these fields, for declarations that name their types: those of `isolatedDeclarations`, and
 * functions that make event classes of any schema.
 *
 * @example
 * const JokeBase: EventOf<"Joke", { text: string }> = event("Joke", { text: z.string() });
 * export class Joke extends JokeBase {}
 */
export type EventOf<Type extends string, Fields, Input = Fields> = EventBase<
  Type,
  EventFacts<"event", Input, Fields, Type>
>;

/** Fields of a union: those of every member, and the others as optional fields, because an instance type cannot be a union. */
type InstanceFields<Fields> = Readonly<Pick<Fields, keyof Fields>> & {
  readonly [Field in Exclude<KeyIn<Fields>, keyof Fields>]?: ValueIn<Fields, Field>;
};
type KeyIn<Fields> = Fields extends unknown ? keyof Fields : never;
type ValueIn<Fields, Field> = Fields extends { readonly [Key in Field & PropertyKey]?: infer Value } ? Value : never;

/** Allows `new Joke()` when every field has a default. */
export type FieldsArgument<Input> = {} extends Input ? [fields?: Input] : [fields: Input];

/** Names of the instance's own members, which fields cannot have. */
export interface ReservedFields {
  readonly type?: TypeHint<"`type` is reserved: it names the event. Call the field `kind`.">;
  readonly toJSON?: TypeHint<"`toJSON` is reserved: it returns the event's data.">;
}

export type EventShape = (FieldSchemas & ReservedFields) | StandardSchema<object, object>;

/**
 * Makes a base class for your own event. Fields that are not in the shape are dropped; instances are frozen. The class
 * may have methods, getters and static members. Declare fields, public or private, in the shape.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when the type is empty, or the shape contains a value that is not a schema;
 * at the first event, when the class has instance fields.
 * @example
 * class Joke extends event("Joke", { text: z.string() }) {}
 * new Joke({ text: "…" }).text; // string
 */
export function event<const Type extends string, Shape extends EventShape = {}>(
  type: Type,
  shape?: Shape,
): EventBase<Type, EventFacts<"event", FieldsIn<Shape>, FieldsOut<Shape>, Type>> {
  return defineEvent({ type, role: "event", shape }) as never;
}

// ---- facts about events and their classes, for the engine

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

/** Returns `true` for an event that ends its run. */
export function endsRun(event: WorkflowEvent): boolean {
  const role = roleOf(event);
  return role === "stop" || role === "terminal";
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

/** Returns one public field, also of an open event. */
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

const brand: unique symbol = Symbol.for("millrace.keyed");

/** An event of a generator with its own id. Created by {@link keyed}. */
export interface Keyed<out Event = WorkflowEvent> {
  readonly [brand]: true;
  readonly id: string;
  readonly event: Event;
}

/**
 * Assigns an id to an event of an async generator. When the step runs again, its events are matched by `id` instead of by
 * position, so the source may answer in another order.
 *
 * @example
 * for await (const row of rows) yield keyed(row.id, new RowFound({ row }));
 */
export function keyed<Event extends WorkflowEvent>(id: string, event: Event): Keyed<Event> {
  return { [brand]: true, id, event };
}

export function isKeyed(value: unknown): value is Keyed {
  return isObject(value) && brand in value;
}
