/**
 * What a step waits for: one event, any of several, a whole batch (`collect`), or a complete set (`join`).
 *
 * @module
 */
import { features } from "../engine/features.js";
import { collecting } from "../engine/reduce/collect.js";
import { joining } from "../engine/reduce/join.js";
import type { StepFailure } from "../event/built-in-events.js";
import type { EventClass, EventFacts, EventRole, eventFacts, WorkflowEvent } from "../event/event.js";
import type { TypeHint } from "../event/type-hint.js";
import { fanOuts } from "../graph/check-fan-outs.js";
import { checkOptions } from "../value/known-options.js";

/** An event a step may accept. A stop event is none: it ends the run. */
export interface AcceptableEvent extends WorkflowEvent<string, EventFacts<AcceptableRole>> {}
export type AcceptableRole = Exclude<EventRole, "stop" | EngineRole>;
/** The roles of events that only the engine makes. */
export type EngineRole = "stepFailed" | "terminal" | "notice";

export type AcceptableClass = EventClass<AcceptableEvent>;
export type AcceptableClasses = AcceptableClass | readonly AcceptableClass[];

/** What `on` takes. */
// biome-ignore lint/suspicious/noExplicitAny: where `on` is wrong, that one error is enough; the method below it then fits
export type Trigger = AcceptableClasses | Gathering<any, any>;

/** What `collect` and `join` have in common: a payload made of several events. No such property at runtime. @internal */
export declare const gathered: unique symbol;
export interface Gathering<out Payload = unknown, out Event = unknown> {
  readonly [gathered]: { readonly payload: Payload; readonly event: Event };
  readonly kind: "collect" | "join";
}

/** Made by {@link collect}. */
export interface Collect<out Payload = unknown, out Event = unknown> extends Gathering<Payload, Event> {
  readonly kind: "collect";
  readonly events: readonly EventClass[];
  readonly options: CollectOptions;
}

/** On a collect that names its fan-out, for the compiler. No such property at runtime. @internal */
export type Of<Opener> = [Opener] extends [never] ? unknown : { readonly of: Opener };

/** Made by {@link join}. */
export interface Join<out Payload = unknown, out Event = unknown> extends Gathering<Payload, Event> {
  readonly kind: "join";
  readonly slots: Readonly<Record<string, EventClass>>;
  readonly by: string | null;
}

export interface CollectOptions {
  /**
   * The step whose fan-out it gathers, fan-outs inside that one included; of several around an event, the nearest.
   *
   * @default the innermost fan-out in which its events arise
   */
  readonly of?: string;
  /** Fires at the n-th arrival; later members are not in the batch. Integer, at least 1. @default all of them */
  readonly take?: number;
  /** What becomes of the members that `take` does not wait for: they run to their end, or are called off. @default "finish" */
  readonly rest?: "finish" | "cancel";
  /** The order of the batch: as the fan-out emitted its elements, or as their events arrived. @default "emitted" */
  readonly order?: "emitted" | "arrived";
  /** Members that failed for good, or came to nothing, are in the batch too, instead of failing the run. @default false */
  readonly settle?: boolean;
}

/** A member of a batch collected with `settle: true`. */
export type Settled<Event> = SettledEvent<Event> | SettledEmpty | SettledFailure;
export interface SettledEvent<out Event> {
  readonly status: "ok";
  /** Its place in the fan-out. */
  readonly index: number;
  readonly event: Event;
}
/** The branch of this element ended without an event for the batch. */
export interface SettledEmpty {
  readonly status: "empty";
  readonly index: number;
}
export interface SettledFailure {
  readonly status: "failed";
  readonly index: number;
  readonly failure: StepFailure;
}

/**
 * One call with the whole batch of a fan-out: exactly once each time a step that emits `many(…)` opens it, also with nothing in it.
 *
 * @example
 * @step({ on: collect(Scored), emits: StopEvent })
 * async best(scores: readonly Scored[]) { … }
 */
export function collect<
  const Classes extends AcceptableClasses,
  const Opener extends string = never,
  const Settle extends boolean = false,
>(
  events: Classes,
  options?: CollectOptions & { readonly settle?: Settle; readonly of?: Opener },
): Collect<Batch<EventIn<Classes>, Settle>, EventIn<Classes>> & Of<Opener> {
  features.collect = collecting;
  features.fanOuts = fanOuts;
  const made = { kind: "collect", events: [events].flat(), options: options ?? {} };
  return Object.freeze(made) as never;
}

/** `settle: true` gives every member with its status. */
export type Batch<Event, Settle> = Settle extends true ? readonly Settled<Event>[] : readonly Event[];

export interface JoinSlots {
  readonly [slot: string]: AcceptableClass;
}
export interface JoinOptions<Event> {
  /**
   * Pair by this field, which every slot has, over the innermost fan-out that holds all slots (the run if there is none), instead
   * of within one element.
   */
  readonly by?: SharedField<Exclude<keyof Event & string, keyof WorkflowEvent>>;
}
/** `keyof` a union: the names all its members have. */
export type SharedField<Name> = [Name] extends [never]
  ? TypeHint<"The events of this join have no field in common.">
  : Name;

/**
 * One call per complete set, one event for each slot.
 *
 * @example
 * @step({ on: join({ order: Order, payment: Payment }, { by: "orderId" }), emits: Shipped })
 * async ship({ order, payment }: { order: Order; payment: Payment }) { … }
 */
export function join<const Slots extends JoinSlots>(
  slots: Slots,
  options?: JoinOptions<EventIn<Slots[keyof Slots]>>,
): Join<JoinedEvents<Slots>, EventIn<Slots[keyof Slots]>> {
  if (options !== undefined) checkOptions("join", options);
  features.join = joining;
  features.fanOuts = fanOuts;
  const made = { kind: "join", slots: { ...slots }, by: options?.by ?? null };
  return Object.freeze(made) as unknown as Join<JoinedEvents<Slots>, EventIn<Slots[keyof Slots]>>;
}

// `& {}` makes hovers and errors show the members instead of `JoinedEvents<{ … }>`.
export type JoinedEvents<Slots> = { readonly [Slot in keyof Slots]: EventIn<Slots[Slot]> } & {};

// ---- from classes to instances

export type InstanceOf<Class> = Class extends EventClass<infer Event> ? Event : never;

/** The instance type of one class, or the union of those of several. */
export type EventIn<Classes> = Classes extends readonly (infer Class)[] ? InstanceOf<Class> : InstanceOf<Classes>;

/** The first argument of a step. */
export type Delivered<On> = On extends Gathering<infer Payload> ? Payload : EventIn<On>;

/** The events behind it. */
export type EventsOf<On> = On extends Gathering<unknown, infer Event> ? Event : EventIn<On>;

/** The same, from the payload of a step that is already made. */
export type EventsIn<Payload> = Payload extends WorkflowEvent
  ? Payload
  : Payload extends readonly (infer Member)[]
    ? MemberEvent<Member>
    : Payload[keyof Payload];
type MemberEvent<Member> = Member extends WorkflowEvent
  ? Member
  : Member extends SettledEvent<infer Event>
    ? Event
    : never;

export type FieldsOf<Event extends WorkflowEvent> = Event[typeof eventFacts]["fields"];
