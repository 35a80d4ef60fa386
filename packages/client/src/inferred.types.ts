/**
 * What the workflows say about names, inputs, results and events, read off their classes.
 *
 * @internal
 * @module
 */
import type { EventClass, EventFacts, InputOf, ResultOf, StreamOf, Workflow, WorkflowEvent } from "millrace";

/** Workflows by their names on the server: instances, or their classes. */
// any: a workflow with any state, made with any options.
export type Flows = { readonly [name: string]: Workflow<any> | (new (...options: any) => Workflow<any>) };

/** The workflow of a name. Without workflows to infer from, nothing is known of it. */
export type FlowOf<Known, Name extends keyof Known & string> = Known[Name] extends new (
  ...options: any
) => infer Flow
  ? Flow
  : Known[Name];

/** Event classes by any name; their `type` tells which events become instances of them. */
export type EventClasses = { readonly [name: string]: EventClass };

/** An event whose fields are not known. */
export interface SomeEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** An event as it comes over HTTP: its type and its fields. */
export type EventData<Event extends WorkflowEvent> =
  Event extends WorkflowEvent<infer Type, EventFacts<any, any, infer Fields>>
    ? Flat<{ readonly type: Type } & { readonly [Name in keyof Fields]: FieldData<Fields[Name]> }>
    : never;

/** One object type instead of an intersection. */
type Flat<Fields> = { [Name in keyof Fields]: Fields[Name] } & {};

/** Events inside events are plain, too. */
type FieldData<Value> = Value extends WorkflowEvent
  ? EventData<Value>
  : Value extends readonly WorkflowEvent[]
    ? readonly EventData<Value[number]>[]
    : Value;

/** An instance where its class is known to the client, else its data. */
export type ClientEvent<Event, Classes extends EventClasses = {}> = Event extends WorkflowEvent
  ? [KnownClass<Event, Classes>] extends [never]
    ? EventData<Event>
    : KnownClass<Event, Classes>
  : never;

type KnownClass<Event extends WorkflowEvent, Classes extends EventClasses> = {
  [Name in keyof Classes]: Classes[Name] extends { readonly type: Event["type"] } ? InstanceType<Classes[Name]> : never;
}[keyof Classes];

export type ClientInput<Known, Name extends keyof Known & string> = InputOf<FlowOf<Known, Name>>;

/** What a run gives: the `result` of a plain stop event, else the stop event. */
export type ClientResult<Known, Name extends keyof Known & string, Classes extends EventClasses = {}> = PlainResult<
  ResultOf<FlowOf<Known, Name>>,
  Classes
>;

type PlainResult<Result, Classes extends EventClasses> = Result extends WorkflowEvent
  ? ClientEvent<Result, Classes>
  : Result;

/** What the stream of a run shows. Of a class, `streams` is not known to the compiler: name those events in `Streamed`. */
export type ClientShown<
  Known,
  Name extends keyof Known & string,
  Classes extends EventClasses = {},
  Streamed extends WorkflowEvent = never,
> = ClientEvent<StreamOf<FlowOf<Known, Name>, Streamed>, Classes>;
