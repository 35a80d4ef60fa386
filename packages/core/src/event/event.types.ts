/**
 * Types of events and event classes.
 *
 * @module
 */
/**
 * Facts about an event for the compiler. The property does not exist at runtime.
 *
 * Its name is text: the declarations of an exported function that makes event classes repeat it, and could not name a symbol.
 *
 * @internal
 */
export declare const eventFacts: "~facts";

/** Role of an event. `"event"` is the ordinary role: some step emits it and some step accepts it. */
export type EventRole =
  | "event"
  | "start"
  | "stop"
  | "inputRequired"
  /** Comes from outside. */
  | "external"
  | "humanResponse"
  /** Accepted by `catchError` steps. */
  | "stepFailed"
  /** Ends a run without a result. */
  | "terminal"
  /** Sent by the engine to readers of the stream; no step accepts it. */
  | "notice";

/**
 * Facts about an event type besides its `type`. They are one property because `Event[typeof eventFacts]["role"]` costs
 * the compiler one look-up, and `infer` would cost a comparison.
 */
export interface EventFacts<
  Role extends EventRole = EventRole,
  Input = unknown,
  Fields = unknown,
  Lineage extends string = string,
> {
  readonly role: Role;
  /** Argument of the constructor; for a start event, of `run(input)`, too. */
  readonly input: Input;
  /** Fields of the instance, which `waitForEvent(E, { where })` compares. */
  readonly fields: Fields;
  /** The event's own `type` and those of the events it extends. */
  readonly lineage: Lineage;
}

/** Any event, or with type arguments, one event. */
export interface WorkflowEvent<Type extends string = string, Facts extends EventFacts = EventFacts> {
  /** Durable name of the event, which snapshots, streams and other languages use. Independent of the class name. */
  readonly type: Type;
  readonly [eventFacts]: Facts;
  /** The public fields, in their JSON form. */
  toJSON(): Record<string, unknown>;
}

/** An event class, for options such as `on: Joke`. */
export interface EventClass<Event extends WorkflowEvent = WorkflowEvent> {
  new (...fields: any): Event;
  readonly type: string;
  /** Version of the fields that instances have. @default 1 */
  readonly version?: number;
  /** Converts stored fields of an older version. */
  migrate?(fields: Record<string, unknown>, from: number): object;
  /**
   * Labels that a runtime sets on the run, computed from its start event. They replace labels given to `runtime.run`; `null`
   * removes a label.
   */
  runLabels?(start: Event, runId: string): { readonly [name: string]: string | null };
  /** Records that move with the run to another store, such as its session, computed from its start event. */
  runRecords?(start: Event, runId: string): readonly { readonly kind: string; readonly id: string }[];
}

/** Start events in a union; `never` for `any`. */
export type StartsAmong<Event> = 0 extends 1 & Event ? never : Extract<Event, InRole<"start">>;
export type StopsAmong<Event> = 0 extends 1 & Event ? never : Extract<Event, InRole<"stop">>;
/** Events of a step's return type that readers of the stream see: prompts and stop events. */
export type ShownAmong<Event> = 0 extends 1 & Event ? never : Extract<Event, InRole<"stop"> | InRole<"inputRequired">>;
interface InRole<Role extends string> {
  readonly [eventFacts]: { readonly role: Role };
}

/** Every event except those that end a run; a sentence for everything else. Distributes over unions. */
export type Sendable<Event> = Event extends WorkflowEvent
  ? Event extends WorkflowEvent<string, EventFacts<"stop" | "terminal">>
    ? "This event ends a run, so it cannot be sent: return it from a step."
    : Event
  : "Only an event can be sent: make an instance of its class with `new`.";

/** Who has done something from outside, such as an answer or a start, and through which door. */
export interface DoneBy {
  /** The authenticated person or program. Absent if not known. */
  readonly user?: string;
  /** Kind of the door, such as `"api"`, `"http"`, `"link"`, `"chat"` or `"mcp"`. */
  readonly door: string;
}

/** The answer that has closed a prompt. */
export interface PromptAnswer {
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** `null` if its sender is not stored. */
  readonly by: DoneBy | null;
}

/** An error message in the form of a type: tsc prints the literal. */
export interface TypeHint<Message extends string> {
  readonly hint: Message;
}
