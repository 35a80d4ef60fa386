/**
 * What a step may return, and the events in it.
 *
 * `Emitted` is what `emits` declares: `Chapter`, `Many<Chapter>`, `Many<Chapter> | StopEvent`.
 *
 * @internal
 * @module
 */

import type { Keyed } from "../event/keyed.js";
import type { Finished } from "./finished.types.js";

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
