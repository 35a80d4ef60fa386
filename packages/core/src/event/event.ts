/**
 * Events: what steps accept and emit.
 *
 * Two classes with the same fields are different events: the literal `type` is part of the instance type
 * (as it is of the instance), so the compiler tells them apart, `switch (ev.type)` narrows, and
 * "exact class" means the same to the compiler and to the engine.
 *
 * @module
 */
import type { EventClass, EventFacts, WorkflowEvent } from "./event.types.js";
import { defineEvent } from "./event-class.js";
import type { FieldSchemas, FieldsIn, FieldsOut } from "./schema.js";
import type { StandardSchema } from "./standard-schema.js";
import type { TypeHint } from "./type-hint.js";

export type { EventClass, EventFacts, EventRole, eventFacts, WorkflowEvent } from "./event.types.js";

/** What `event(...)` and `StartEvent.define(...)` return: extend it. */
export interface EventBase<Type extends string, Facts extends EventFacts> {
  /** @throws {WorkflowError} `EVENT_INVALID` with every field that does not fit, `SCHEMA_ASYNC`. */
  new (...fields: FieldsArgument<Facts["input"]>): WorkflowEvent<Type, Facts> & Readonly<Facts["fields"]>;
  readonly type: Type;
  /**
   * Which shape of the fields this is: an integer, stored with every event. Write one more whenever stored events would
   * no longer fit. A class made with `extend` has that of its base until it has its own.
   *
   * @default 1
   */
  readonly version: number;
  /**
   * The fields of an event that was stored by an older version, as this version holds them (after defaults and transforms).
   * They are checked afterwards; fields that are missing take their defaults. Without it they are checked as they are.
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
  /** True for an instance of exactly this class. */
  is<Event extends WorkflowEvent>(this: EventClass<Event>, value: unknown): value is Event;
  /** A base class for an event that has these fields and more. Steps see it only with `subclasses: true`. */
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

/** `new Joke()` is allowed when every field has a default. */
export type FieldsArgument<Input> = {} extends Input ? [fields?: Input] : [fields: Input];

/** The instance already has members of these names. */
export interface ReservedFields {
  readonly type?: TypeHint<"`type` is reserved: it names the event. Call the field `kind`.">;
  readonly toJSON?: TypeHint<"`toJSON` is reserved: it gives the event's data.">;
}

export type EventShape = (FieldSchemas & ReservedFields) | StandardSchema<object, object>;

/**
 * A base class for an event of your own. Fields that the shape does not name are left out; instances are frozen.
 * The class may have methods, getters and static members; fields, public or private, belong into the shape.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when the type is empty, or the shape holds something that is no schema; at the first
 * event, when the class has fields of its own.
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
