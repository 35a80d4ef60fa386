/**
 * Events: what steps accept and emit.
 *
 * Two classes with the same fields are different events, because the literal `type` is part of the instance type: the
 * compiler distinguishes them, `switch (ev.type)` narrows, and "exact class" means the same to the compiler and the
 * engine.
 *
 * @module
 */
import type { EventClass, EventFacts, WorkflowEvent } from "./event.types.js";
import { defineEvent } from "./event-class.js";
import type { FieldSchemas, FieldsIn, FieldsOut, StandardSchema } from "./schema.js";
import type { TypeHint } from "./type-hint.js";

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

/** Of a union, those that every member has, and the others as optional ones: an instance type cannot be a union. */
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
