/**
 * What the compiler knows about the steps of a workflow class. It knows nothing about the steps of a built workflow
 * (`defineWorkflow`): any name is accepted, and checked when the step is run.
 *
 * @module
 */
import type { Keyed, StateOf, Workflow, WorkflowEvent } from "millrace";

/** The methods of a workflow class. A step with another `name` than its method is given by that name. */
// {}: keeps the list of the known names, where `string` alone would swallow it.
export type StepNameOf<Flow> = MethodOf<Flow> | (string & {});

// any: only the names are asked for.
type MethodOf<Flow> = {
  [Name in Exclude<keyof Flow & string, keyof Workflow>]: Flow[Name] extends (...args: any) => unknown ? Name : never;
}[Exclude<keyof Flow & string, keyof Workflow>];

/** What the step receives: an event, the batch of a `collect`, or the set of a `join`. */
export type StepPayload<Flow, Name> = Name extends keyof Flow
  ? Flow[Name] extends (payload: infer Payload, ...rest: any) => unknown
    ? Payload
    : unknown
  : unknown;

/** The events that the step returns. */
export type StepEvents<Flow, Name> = Name extends keyof Flow
  ? Flow[Name] extends (...args: any) => infer Return
    ? Extract<Given<Return>, WorkflowEvent>
    : WorkflowEvent
  : WorkflowEvent;

type Given<Return> =
  Return extends AsyncGenerator<infer Item, any, any>
    ? Unkeyed<Item>
    : Awaited<Return> extends infer Result
      ? Result extends readonly (infer Event)[]
        ? Event
        : Result
      : never;
type Unkeyed<Item> = Item extends Keyed<infer Event> ? Event : Item;

/** Fields of the state; missing fields have their defaults. */
export type StateBefore<Flow> =
  unknown extends StateOf<Flow> ? Readonly<Record<string, unknown>> : Partial<StateOf<Flow>>;
