/**
 * Names, inputs, results and events, inferred from the classes of the workflows.
 *
 * @internal
 * @module
 */
import type {
  DefinedWorkflow,
  EventClass,
  EventFacts,
  InputOf,
  ResultOf,
  StreamOf,
  Workflow,
  WorkflowEvent,
} from "millrace";

/** Workflows by their names on the server: instances or classes. */
// any: a workflow with any state, made with any options.
export type Flows = { readonly [name: string]: Workflow<any> | (new (...options: any) => Workflow<any>) };

/** The workflow with a name; any workflow if there is none to infer from. */
export type FlowOf<Known, Name extends keyof Known & string> = Known[Name] extends new (
  ...options: any
) => infer Flow
  ? Flow
  : Known[Name];

/** Event classes under any names. Their `type` decides which events become instances. */
export type EventClasses = { readonly [name: string]: EventClass };

/** An event with unknown fields. */
export interface SomeEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** An event as data: its type and its fields. */
export type EventData<Event extends WorkflowEvent> =
  Event extends WorkflowEvent<infer Type, EventFacts<any, any, infer Fields>>
    ? Flat<{ readonly type: Type } & { readonly [Name in keyof Fields]: FieldData<Fields[Name]> }>
    : never;

/** Flattens an intersection to one object type. */
type Flat<Fields> = { [Name in keyof Fields]: Fields[Name] } & {};

/** Events inside of events are data, too. */
type FieldData<Value> = Value extends WorkflowEvent
  ? EventData<Value>
  : Value extends readonly WorkflowEvent[]
    ? readonly EventData<Value[number]>[]
    : Value;

/** An instance if the client has the class, otherwise data. */
export type ClientEvent<Event, Classes extends EventClasses = {}> = Event extends WorkflowEvent
  ? [KnownClass<Event, Classes>] extends [never]
    ? EventData<Event>
    : KnownClass<Event, Classes>
  : never;

type KnownClass<Event extends WorkflowEvent, Classes extends EventClasses> = {
  [Name in keyof Classes]: Classes[Name] extends { readonly type: Event["type"] } ? InstanceType<Classes[Name]> : never;
}[keyof Classes];

export type ClientInput<Known, Name extends keyof Known & string> = InputOf<FlowOf<Known, Name>>;

/** Result of a run: the `result` of a plain stop event, otherwise the stop event. */
export type ClientResult<Known, Name extends keyof Known & string, Classes extends EventClasses = {}> = PlainResult<
  ResultOf<FlowOf<Known, Name>>,
  Classes
>;

type PlainResult<Result, Classes extends EventClasses> = Result extends WorkflowEvent
  ? ClientEvent<Result, Classes>
  : Result;

/**
 * Events in the stream of a run. The compiler does not know the `streams` of a class: its runs may show any event that the client
 * knows, and others when they are named in `Streamed`.
 */
export type ClientShown<
  Known,
  Name extends keyof Known & string,
  Classes extends EventClasses = {},
  Streamed extends WorkflowEvent = never,
> = ClientEvent<StreamOf<FlowOf<Known, Name>, Streamed>, Classes> | StreamedByClass<FlowOf<Known, Name>, Classes>;

type StreamedByClass<Flow, Classes extends EventClasses> =
  Flow extends DefinedWorkflow<unknown, unknown, any, unknown>
    ? never
    : Extract<InstanceType<Classes[keyof Classes]>, Streamable>;

/** An event that a step may list in `streams`. */
interface Streamable extends WorkflowEvent<string, EventFacts<"event" | "inputRequired">> {}
