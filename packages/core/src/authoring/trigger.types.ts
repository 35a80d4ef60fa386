/**
 * What starts a step, as types: one event, any of several, a whole batch (`collect`), or a complete set (`join`).
 *
 * @module
 */
import type { StepFailedEvent, StepFailure } from "../event/built-in-events.js";
import type { EventClass, EventFacts, EventRole, eventFacts, WorkflowEvent } from "../event/event.js";
import type { TypeHint } from "../event/type-hint.js";

/** An event that a step may accept. A stop event ends the run, so no step accepts it. */
export interface AcceptableEvent extends WorkflowEvent<string, EventFacts<AcceptableRole>> {}
export type AcceptableRole = Exclude<EventRole, "stop" | EngineRole>;
/** Roles of the events that only the engine creates. */
export type EngineRole = "stepFailed" | "terminal" | "notice";

export type AcceptableClass = EventClass<AcceptableEvent>;
export type AcceptableClasses = AcceptableClass | readonly AcceptableClass[];

/** Values of `on`. */
export type Trigger = AcceptableClasses | Gathering<any, any>;
/** Any classes, also of events with another role: for a sentence instead of a comparison of classes. */
export type AnyClasses = EventClass | readonly EventClass[];
export type AnyTrigger = AnyClasses | Gathering<any, any>;
/** `On`, or a sentence where no step accepts it. */
export type AcceptedOn<On> = [EventClass] extends [On] ? Trigger : On extends Trigger ? On : RefusedOn<EventIn<On>>;
type RefusedOn<Event> = Event extends AcceptableEvent
  ? never
  : Event extends StepFailedEvent
    ? "A step that accepts StepFailedEvent is a `catchError`."
    : `No step accepts ${Misfit<Event, AcceptableEvent>}: it ends a run, or is only for readers of the stream.`;

/** `Waits`, or a sentence where a step cannot wait for it. */
export type AwaitedClasses<Waits> = [EventClass] extends [Waits]
  ? AcceptableClasses
  : Waits extends AcceptableClasses
    ? Waits
    : `No step waits for ${Misfit<EventIn<Waits>, AcceptableEvent>}: it ends a run, or is only for readers of the stream.`;
/** Names of the events that are no `Wanted`. */
export type Misfit<Event, Wanted> = Event extends Wanted
  ? never
  : Event extends { readonly type: infer Type extends string }
    ? Type
    : never;

/**
 * Common part of `collect` and `join`: a payload made of several events. The property does not exist at runtime.
 * @internal
 */
export declare const gathered: unique symbol;
export interface Gathering<out Payload = unknown, out Event = unknown> {
  readonly [gathered]: { readonly payload: Payload; readonly event: Event };
  readonly kind: "collect" | "join";
}

/** Result of `collect`. */
export interface Collect<out Payload = unknown, out Event = unknown> extends Gathering<Payload, Event> {
  readonly kind: "collect";
  readonly events: readonly EventClass[];
  readonly options: CollectOptions;
}

/** Marks a collect that names its fan-out, for the compiler. The property does not exist at runtime. @internal */
export type Of<Opener> = [Opener] extends [never] ? unknown : { readonly of: Opener };

/** Result of `join`. */
export interface Join<out Payload = unknown, out Event = unknown> extends Gathering<Payload, Event> {
  readonly kind: "join";
  readonly slots: Readonly<Record<string, EventClass>>;
  readonly by: string | null;
}

/** Options of `collect`. */
export interface CollectOptions {
  /**
   * Step whose fan-out is gathered, including fan-outs inside of it; of several that contain an event, the nearest.
   *
   * @default the innermost fan-out in which the events arise
   */
  readonly of?: string;
  /** Runs at the n-th arrival; later members are not in the batch. Integer, at least 1. @default all members */
  readonly take?: number;
  /** What happens to members that `take` does not wait for: they run to their end, or are cancelled. @default "finish" */
  readonly rest?: "finish" | "cancel";
  /** Order of the batch: of the elements in the fan-out, or of the events' arrival. @default "emitted" */
  readonly order?: "emitted" | "arrived";
  /** `true`: members that failed or emitted nothing are in the batch, too, instead of failing the run. @default false */
  readonly settle?: boolean;
}

/** A member of a batch collected with `settle: true`. */
export type Settled<Event> = SettledEvent<Event> | SettledEmpty | SettledFailure;
/** An element whose branch has emitted an event for the batch. */
export interface SettledEvent<out Event> {
  readonly status: "ok";
  /** Index of the element in the fan-out. */
  readonly index: number;
  readonly event: Event;
}
/** An element whose branch ended without an event for the batch. */
export interface SettledEmpty {
  readonly status: "empty";
  readonly index: number;
}
/** An element whose branch has failed. */
export interface SettledFailure {
  readonly status: "failed";
  readonly index: number;
  readonly failure: StepFailure;
}

/** With `settle: true`, every member has its status. Each attempt has its own list. */
export type Batch<Event, Settle> = Settle extends true ? Settled<Event>[] : Event[];

export interface JoinSlots {
  readonly [slot: string]: AcceptableClass;
}
/** Options of `join`. */
export interface JoinOptions<Event> {
  /**
   * Field that all slots have: events with equal values form a set, within the innermost fan-out that contains all
   * slots (or the run), instead of within one element.
   */
  readonly by?: SharedField<Exclude<keyof Event & string, keyof WorkflowEvent>>;
}
/** `keyof` a union is the names that all members have. */
export type SharedField<Name> = [Name] extends [never]
  ? TypeHint<"The events of this join have no field in common.">
  : Name;

// `& {}` makes hovers and errors show the members instead of `JoinedEvents<{ … }>`.
export type JoinedEvents<Slots> = { -readonly [Slot in keyof Slots]: EventIn<Slots[Slot]> } & {};

// ---- from classes to instances

export type InstanceOf<Class> = Class extends EventClass<infer Event> ? Event : never;

/** Instance type of one class, or the union of several. */
export type EventIn<Classes> = Classes extends readonly (infer Class)[] ? InstanceOf<Class> : InstanceOf<Classes>;

/** First argument of a step. */
// `any`: where `on` is wrong, that one error is enough; the method below it then fits.
export type Delivered<On> =
  On extends Gathering<infer Payload> ? Payload : On extends AcceptableClasses ? EventIn<On> : any;

/** The events from which the first argument is made. */
export type EventsOf<On> = On extends Gathering<unknown, infer Event> ? Event : EventIn<On>;

/** The same events, from the payload of a step that is already made. */
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
