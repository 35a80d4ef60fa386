/**
 * Input and result of `run`, inferred from the steps.
 *
 * Costs two small conditional types per step, once per workflow class.
 *
 * @internal
 * @module
 */

import type {
  JoinIncompleteEvent,
  OpenFields,
  PiecesEvent,
  QuestionEvent,
  StepRestartedEvent,
  StopEvent,
  WorkDiscardedEvent,
  WorkflowCancelledEvent,
  WorkflowFailedEvent,
  WorkflowTimedOutEvent,
} from "../event/built-in-events.js";
import type { EventFacts, eventFacts, WorkflowEvent } from "../event/event.js";
import type { ShownAmong, StartsAmong, StopsAmong } from "../event/event.types.js";
import type { TypeHint } from "../event/type-hint.js";
import type { RunContext } from "./run-context.types.js";
import type { Yielded } from "./step-return.types.js";
import type { DefinedRun, definedRun, StateOf, workflowState } from "./workflow-facts.types.js";

/** Input of `run`: the fields of the start event. */
// any: only the other type argument matters.
export type InputOf<Flow> = Flow extends { readonly [definedRun]: DefinedRun<infer Input, any, any> }
  ? Input
  : KnownOr<OpenFields, InputOfStart<StartEventIn<Flow>>>;

/** Result of `await run(...)`: the `result` of a plain stop event, otherwise the stop event itself. */
export type ResultOf<Flow> = Flow extends { readonly [definedRun]: DefinedRun<any, infer Result, any> }
  ? Result
  : KnownOr<unknown, ResultOfStop<StopEventIn<Flow>>>;

/**
 * Events in the stream of a run: `handler.streamEvents<StreamOf<Flow>>()`. The compiler does not know the `streams` of
 * a class; name those events in `Streamed`.
 *
 * @example
 * type Shown = StreamOf<JokeFlow, Progress>;
 */
export type StreamOf<Flow, Streamed extends WorkflowEvent = never> =
  | (Flow extends { readonly [definedRun]: DefinedRun<any, any, infer Shown> } ? Shown : ShownEventIn<Flow>)
  | Streamed
  | EndOrNotice;

/**
 * Events with which a run asks, of a workflow whose steps the compiler knows in full, and the question of `ctx.ask`, which no step
 * declares; any event for a class, whose `streams` it does not know.
 */
export type PromptOf<Flow> = Flow extends { readonly [definedRun]: DefinedRun<any, any, infer Shown> }
  ? AskedBy<Extract<Shown, WorkflowEvent<string, EventFacts<"inputRequired">>>>
  : WorkflowEvent;

type AskedBy<Declared> = [Declared] extends [never] ? WorkflowEvent : Declared | QuestionEvent;

/** Events that the engine adds to the stream. */
type EndOrNotice =
  | WorkflowFailedEvent
  | WorkflowTimedOutEvent
  | WorkflowCancelledEvent
  | StepRestartedEvent
  | JoinIncompleteEvent
  | WorkDiscardedEvent
  | PiecesEvent
  | QuestionEvent;

/** Arguments of `run`. The input is optional when all of its fields have defaults. */
export type RunArguments<Flow, Options> =
  {} extends InputOf<Flow> ? [input?: InputOf<Flow>, options?: Options] : [input: InputOf<Flow>, options?: Options];

/** Added to `this` of `run`: nothing, or the problem of the class's fields. */
export type Runnable<Flow> = [MisplacedStep<Flow>] extends [never]
  ? unknown
  : TypeHint<`The step ${MisplacedStep<Flow>} needs a state that this workflow does not have.`>;

/** Fields made with `step(options, fn)` whose `ctx` needs another state. The decorator checks methods. */
type MisplacedStep<Flow> = {
  [Name in MemberName<Flow>]: Flow[Name] extends FreeStep<infer Ctx>
    ? Ctx extends RunContext<infer Needed>
      ? StateOf<Flow> extends Needed
        ? never
        : Name
      : never
    : never;
}[MemberName<Flow>];

/** Result of `step(options, fn)`, by the context that it takes. */
interface FreeStep<in Ctx> {
  (event: never, ctx: Ctx, resources?: any): unknown;
  readonly options: object;
}

/** For a workflow with unknown steps, such as a `Workflow` in a list of several. */
type KnownOr<Fallback, Known> = [Known] extends [never] ? Fallback : Known;

export type InputOfStart<Start> = Start extends WorkflowEvent
  ? FieldsOrEvent<Start[typeof eventFacts]["input"], Start>
  : never;
/** Names the event only when the fields alone would refuse it (transforms, open fields). */
type FieldsOrEvent<Fields, Event> = Event extends Fields ? Fields : Fields | Event;

export type ResultOfStop<Stop> = Stop extends StopEvent<infer Result> ? Result : Stop;

type MemberName<Flow> = Exclude<keyof Flow & string, WorkflowMember | typeof workflowState>;
/** Members of `Workflow`, whose names a step cannot have. */
export type WorkflowMember = "run" | "resume" | "retry" | "on" | "use";
type StartEventIn<Flow> = { [Name in MemberName<Flow>]: StartAccepted<Flow[Name]> }[MemberName<Flow>];
type StopEventIn<Flow> = { [Name in MemberName<Flow>]: StopReturned<Flow[Name]> }[MemberName<Flow>];
type ShownEventIn<Flow> = { [Name in MemberName<Flow>]: ShownReturned<Flow[Name]> }[MemberName<Flow>];

// any in argument lists: only the first parameter and the return type matter.
type StartAccepted<Member> = Member extends (event: infer Event, ...rest: any) => unknown ? StartsAmong<Event> : never;
type StopReturned<Member> = Member extends (...args: any) => infer Return ? StopsAmong<Yielded<Return>> : never;
type ShownReturned<Member> = Member extends (...args: any) => infer Return ? ShownAmong<Yielded<Return>> : never;
