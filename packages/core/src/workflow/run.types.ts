/**
 * What `run` takes and gives, read off the steps.
 *
 * Costs two small conditional types per step, once per workflow class.
 *
 * @internal
 * @module
 */
import type { RunContext } from "../context/run-context.types.js";
import type {
  JoinIncompleteEvent,
  OpenFields,
  StepRestartedEvent,
  StopEvent,
  WorkflowCancelledEvent,
  WorkflowFailedEvent,
  WorkflowTimedOutEvent,
} from "../event/built-in-events.js";
import type { eventFacts, WorkflowEvent } from "../event/event.js";
import type { ShownAmong, StartsAmong, StopsAmong } from "../event/event.types.js";
import type { TypeHint } from "../event/type-hint.js";
import type { Yielded } from "../step/step-return.types.js";
import type { DefinedRun, definedRun, StateOf } from "./workflow-facts.types.js";

/** What `run(input)` takes: the fields of the start event. */
// any: only the other one is asked for.
export type InputOf<Flow> = Flow extends { readonly [definedRun]: DefinedRun<infer Input, any, any> }
  ? Input
  : KnownOr<OpenFields, InputOfStart<StartEventIn<Flow>>>;

/** What `await run(...)` gives: the `result` of a plain stop event, else the stop event itself. */
export type ResultOf<Flow> = Flow extends { readonly [definedRun]: DefinedRun<any, infer Result, any> }
  ? Result
  : KnownOr<unknown, ResultOfStop<StopEventIn<Flow>>>;

/**
 * The events that a reader of the stream can meet: `handler.streamEvents<StreamOf<Flow>>()`.
 * Of a class, `streams` is not known to the compiler; name those events in `Streamed`.
 *
 * @example
 * type Shown = StreamOf<JokeFlow, Progress>;
 */
export type StreamOf<Flow, Streamed extends WorkflowEvent = never> =
  | (Flow extends { readonly [definedRun]: DefinedRun<any, any, infer Shown> } ? Shown : ShownEventIn<Flow>)
  | Streamed
  | EndOrNotice;

/** What the engine shows. */
type EndOrNotice =
  | WorkflowFailedEvent
  | WorkflowTimedOutEvent
  | WorkflowCancelledEvent
  | StepRestartedEvent
  | JoinIncompleteEvent;

/** The arguments of `run`: no input is needed when every field of it has a default. */
export type RunArguments<Flow, Options> =
  {} extends InputOf<Flow> ? [input?: InputOf<Flow>, options?: Options] : [input: InputOf<Flow>, options?: Options];

/** Added to `this` of `run`: nothing, or what is wrong with the fields of the class. */
export type Runnable<Flow> = [MisplacedStep<Flow>] extends [never]
  ? unknown
  : TypeHint<`The step ${MisplacedStep<Flow>} needs a state that this workflow does not have.`>;

/** Fields made with `step(options, fn)` whose `ctx` asks for another state. Methods are checked by their decorator. */
type MisplacedStep<Flow> = {
  [Name in MemberName<Flow>]: Flow[Name] extends FreeStep<infer Ctx>
    ? Ctx extends RunContext<infer Needed>
      ? StateOf<Flow> extends Needed
        ? never
        : Name
      : never
    : never;
}[MemberName<Flow>];

/** What `step(options, fn)` gives, by the context that it takes. */
interface FreeStep<in Ctx> {
  (event: never, ctx: Ctx, resources?: any): unknown;
  readonly options: object;
}

/** A workflow whose steps are not known here, such as a `Workflow` in a list of several. */
type KnownOr<Fallback, Known> = [Known] extends [never] ? Fallback : Known;

export type InputOfStart<Start> = Start extends WorkflowEvent
  ? FieldsOrEvent<Start[typeof eventFacts]["input"], Start>
  : never;
/** The event is named only where the fields alone would refuse it (transforms, open fields). */
type FieldsOrEvent<Fields, Event> = Event extends Fields ? Fields : Fields | Event;

export type ResultOfStop<Stop> = Stop extends StopEvent<infer Result> ? Result : Stop;

type MemberName<Flow> = Exclude<keyof Flow & string, WorkflowMember>;
/** The members of `Workflow`, which no step can have the name of. */
export type WorkflowMember = "run" | "resume" | "retry" | "on" | "use";
type StartEventIn<Flow> = { [Name in MemberName<Flow>]: StartAccepted<Flow[Name]> }[MemberName<Flow>];
type StopEventIn<Flow> = { [Name in MemberName<Flow>]: StopReturned<Flow[Name]> }[MemberName<Flow>];
type ShownEventIn<Flow> = { [Name in MemberName<Flow>]: ShownReturned<Flow[Name]> }[MemberName<Flow>];

// any in argument lists: only the first parameter and the return type are looked at.
type StartAccepted<Member> = Member extends (event: infer Event, ...rest: any) => unknown ? StartsAmong<Event> : never;
type StopReturned<Member> = Member extends (...args: any) => infer Return ? StopsAmong<Yielded<Return>> : never;
type ShownReturned<Member> = Member extends (...args: any) => infer Return ? ShownAmong<Yielded<Return>> : never;
