/**
 * What a step may give back, and what came out of it.
 *
 * @internal
 * @module
 */
import type { TypeHint } from "../event/type-hint.js";
import type { Keyed } from "./keyed.js";

/** An event, nothing, or a batch; now, later, or one by one. */
export type StepReturn<Event> =
  | StepResult<Event>
  | Promise<StepResult<Event>>
  // any: what is sent into the generator is nobody's business.
  | AsyncGenerator<Event | Keyed<Event>, void, any>;
export type StepResult<Event> = Event | readonly Event[] | void | undefined | null;

/** The events in a return type. */
// any: only what is yielded is looked at.
export type Yielded<Return> =
  Return extends AsyncGenerator<infer Item, any, any>
    ? Item extends Keyed<infer Event>
      ? Event
      : Item
    : Awaited<Return> extends infer Result
      ? Result extends readonly (infer Event)[]
        ? Event
        : Result
      : never;

/**
 * Added to the return type of a step function: nothing when `emits` lists everything, else a sentence.
 * Without it the compiler would explain the difference between a promise of a union and a promise of another.
 */
export type Listed<Return, Emitted> = [Return] extends [StepReturn<Emitted>]
  ? unknown
  : TypeHint<Unlisted<Exclude<Yielded<Return>, Emitted | void | null>>>;

type Unlisted<Event> = Event extends { readonly type: infer Type extends string }
  ? `The step gives back ${Type}, which \`emits\` does not list.`
  : "A step gives back an event, an array of events, an async generator of events, or nothing.";
