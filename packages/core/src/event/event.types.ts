/**
 * What an event and an event class are to the compiler.
 *
 * @module
 */
import type { TypeHint } from "./type-hint.js";

/** What the compiler knows about an event. No such property exists at runtime. @internal */
export declare const eventFacts: unique symbol;

export type EventRole =
  | "event"
  | "start"
  | "stop"
  | "inputRequired"
  /** Comes from outside. */
  | "external"
  | "humanResponse"
  /** What `catchError` steps take. */
  | "stepFailed"
  /** Ends a run that has no result. */
  | "terminal"
  /** The engine tells readers of the stream; no step takes it. */
  | "notice";

/**
 * The four facts about an event type that its `type` alone does not tell.
 * One property instead of four: `Event[typeof eventFacts]["role"]` costs one lookup, `infer` would cost a comparison.
 */
export interface EventFacts<
  Role extends EventRole = EventRole,
  Input = unknown,
  Fields = unknown,
  Lineage extends string = string,
> {
  readonly role: Role;
  /** What the constructor takes, and what `run(input)` takes when it is a start event. */
  readonly input: Input;
  /** What the instance holds; `waitForEvent(E, { where })` matches on it. */
  readonly fields: Fields;
  /** Its own `type` and those of the events it extends. */
  readonly lineage: Lineage;
}

/** Any event; with arguments, one event. */
export interface WorkflowEvent<Type extends string = string, Facts extends EventFacts = EventFacts> {
  /** The durable identity: what snapshots, streams and other languages see. Never the class name. */
  readonly type: Type;
  readonly [eventFacts]: Facts;
  /** The public data, as JSON carries it. */
  toJSON(): Record<string, unknown>;
}

/** An event class, as options take it: `on: Joke`. */
export interface EventClass<Event extends WorkflowEvent = WorkflowEvent> {
  new (...fields: any): Event;
  readonly type: string;
  readonly version?: number;
  migrate?(fields: Record<string, unknown>, from: number): object;
  /**
   * Of a start event: labels of a run of a runtime that follow from what it is started with. They come over those that
   * `runtime.run` is given; null: it has no label of that name.
   */
  runLabels?(start: Event, runId: string): { readonly [name: string]: string | null };
}

/** Start events in a union. A helper that takes or returns `any` says nothing. */
export type StartsAmong<Event> = 0 extends 1 & Event ? never : Extract<Event, InRole<"start">>;
export type StopsAmong<Event> = 0 extends 1 & Event ? never : Extract<Event, InRole<"stop">>;
/** Of what a step returns, stream readers see prompts and the end. */
export type ShownAmong<Event> = 0 extends 1 & Event ? never : Extract<Event, InRole<"stop"> | InRole<"inputRequired">>;
interface InRole<Role extends string> {
  readonly [eventFacts]: { readonly role: Role };
}

/** Every event but those that end a run. Of a union, every member is asked. */
export type Sendable<Event extends WorkflowEvent> =
  Event extends WorkflowEvent<string, EventFacts<"stop" | "terminal">>
    ? TypeHint<"This event ends a run, so it cannot be sent: return it from a step.">
    : Event;
