/**
 * Types of the start of a step (one event, any of several, a whole batch of `collect`, a complete set of `join`) and of its
 * output.
 *
 * @module
 */

import type { StepFailedEvent, StepFailure } from "../event/built-in-events.js";
import type { EventClass, EventFacts, EventRole, eventFacts, Keyed, WorkflowEvent } from "../event/event.js";
import type { TypeHint } from "../event/event.types.js";

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
  /** Fate of members that `take` does not wait for: they run to their end, or are cancelled. @default "finish" */
  readonly rest?: "finish" | "cancel";
  /** Order of the batch: of the elements in the fan-out, or of the events' arrival. @default "emitted" */
  readonly order?: "emitted" | "arrived";
  /** Whether members that failed or emitted nothing are in the batch, too, instead of failing the run. @default false */
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

/** A batch with `settle: true` has the status of every member and its own list for each attempt. */
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

// ---- what a step may return, and the events in it
// `Emitted` is what `emits` declares: `Chapter`, `Many<Chapter>`, `Many<Chapter> | StopEvent`.

/** Result of `many(…)`. The property does not exist at runtime. @internal */
export declare const fannedOut: unique symbol;
export interface Many<out Element = unknown> {
  readonly [fannedOut]: Element;
}

/**
 * Return type of a step: an event, nothing, or with `many()` an array or an async generator; also as a promise, or as a
 * result of `ctx.finish`.
 */
export type StepReturn<Emitted> = Ending<Emitted> | Promise<Ending<Emitted>> | Generated<ElementOf<Emitted>>;
type Ending<Emitted> = StepResult<Emitted> | Finished<StepResult<Emitted>>;
export type StepResult<Emitted> = Exclude<Emitted, Many> | Listing<ElementOf<Emitted>> | void | undefined | null;

// Brackets: `Many<A> | Many<B>` is an array of both.
type Listing<Element> = [Element] extends [never] ? never : readonly Element[];
type Generated<Element> = [Element] extends [never]
  ? never
  : AsyncGenerator<Element | Keyed<Element>, void | FinishedEmpty, any>;
type FinishedEmpty = Finished<void | undefined | null>;

/** The elements of the fan-out. */
export type ElementOf<Emitted> = Emitted extends Many<infer Element> ? Element : never;
/** Every declared event. */
export type EventOf<Emitted> = Emitted extends Many<infer Element> ? Element : Emitted;

type Unkeyed<Item> = Item extends Keyed<infer Event> ? Event : Item;

/** The events in a return type. */
export type Yielded<Return> =
  Return extends AsyncGenerator<infer Item, any, any> ? Unkeyed<Item> : Given<Awaited<Return>>;
type Given<Result> =
  Result extends Finished<infer Output> ? Given<Output> : Result extends readonly (infer Event)[] ? Event : Result;

/**
 * `Given` where the return type of a step fits `emits`; otherwise a sentence, to which nothing that a step returns is assignable.
 */
export type Fitting<Given, Return, Emitted> = [Return] extends [Alone<Emitted> | Promise<Alone<Emitted>>]
  ? Given // the usual case: skips the checks of arrays and generators
  : [Return] extends [StepReturn<Emitted>]
    ? Given
    : Fault<Return, Emitted>;
type Alone<Emitted> = Emitted | void | undefined | null;

type Fault<Return, Emitted> =
  Return extends AsyncGenerator<infer Element, infer End, any>
    ? FirstOf<ElementFault<Unkeyed<Element>, Emitted, "yields">, EndFault<End>>
    : Return extends Generator<any, any, any>
      ? "A step that yields is async: write `async *`."
      : ResultFault<Awaited<Return>, Emitted>;

type ResultFault<Result, Emitted> =
  Result extends Finished<infer Output>
    ? Output extends PromiseLike<unknown>
      ? "The callback of `ctx.finish` is synchronous: await what it needs before."
      : PlainFault<Output, Emitted>
    : PlainFault<Result, Emitted>;

type PlainFault<Result, Emitted> = Result extends readonly (infer Element)[]
  ? [Element] extends [never]
    ? [ElementOf<Emitted>] extends [never]
      ? "The step returns an array: list its events in `emits` with many()."
      : never
    : ElementFault<Element, Emitted, "returns an array of">
  : Result extends Exclude<Emitted, Many> | void | undefined | null
    ? never
    : Result extends ElementOf<Emitted>
      ? Named<Result> extends infer Type extends string
        ? `The step returns one ${Type}, where \`emits\` says many(${Type}): return an array, or drop many().`
        : never
      : Unlisted<Result>;

// Distributes over the union, so that each wrong event gets its own sentence.
type ElementFault<Element, Emitted, Verb extends string> =
  Element extends ElementOf<Emitted>
    ? never
    : Element extends null | undefined | void
      ? "The elements of a fan-out are events: leave out null and undefined."
      : Element extends EventOf<Emitted>
        ? Named<Element> extends infer Type extends string
          ? Element extends StopLike
            ? `The step ${Verb} ${Type}: a stop event is returned alone.`
            : `The step ${Verb} ${Type}, where \`emits\` says one: write many(${Type}).`
          : never
        : Unlisted<Element>;

type EndFault<End> = [End] extends [void | FinishedEmpty]
  ? never
  : "A generator only yields: what it returns would be lost.";

/** `First` unless it is `never`. */
export type FirstOf<First, Second> = [First] extends [never] ? Second : First;
type Named<Event> = Event extends { readonly type: infer Type extends string } ? Type : never;
interface StopLike {
  readonly type: string;
  readonly result: unknown;
}

// A plain object has a `type` that is any string.
type Unlisted<Event> = Event extends { readonly type: infer Type extends string }
  ? string extends Type
    ? NoEvent
    : `The step returns ${Type}, which \`emits\` does not list.`
  : NoEvent;
type NoEvent = "A step returns an event or nothing; with many(), an array or an async generator of events.";

/** The property does not exist at runtime. @internal */
export declare const finishedOutput: unique symbol;

/**
 * Result of `ctx.finish`, which the step returns as its only output, or of `call.finish`, which the function of `ctx.run` returns.
 * `Output` is what the callback returned.
 */
export interface Finished<out Output = unknown> {
  readonly [finishedOutput]: Output;
}

// ---- facts that steps and contexts need of their workflow: its state, and the input and result of a run

/** The property does not exist at runtime. Its name is text, as that of `eventFacts`. @internal */
export declare const workflowState: "~state";
/** The property does not exist at runtime. @internal */
export declare const definedRun: unique symbol;
export interface DefinedRun<out Input, out Result, out Shown> {
  readonly input: Input;
  readonly result: Result;
  readonly shown: Shown;
}

/** Any workflow, when nothing else matters. */
export interface AnyWorkflow {
  readonly [workflowState]: unknown;
}

/** Type of a workflow's state. */
export type StateOf<Flow> = Flow extends { readonly [workflowState]: infer State } ? State : unknown;
