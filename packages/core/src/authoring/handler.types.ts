/**
 * Types of `workflow.run(...)`: its options, its handle, its outcome, and its input and result, inferred from the steps.
 *
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
import type { PromptAnswer, Sendable, ShownAmong, StartsAmong, StopsAmong, TypeHint } from "../event/event.types.js";
import type { ResourceOverride } from "../resource/resource.js";
import type { RunStream, StreamOptions } from "../stream/run-stream.js";
import type { Duration } from "../value/duration.js";
import type { RunContext } from "./store.types.js";
import type { DefinedRun, definedRun, StateOf, workflowState, Yielded } from "./trigger.types.js";

export interface ResumeOptions {
  /** Cancels the run when it aborts. @default none */
  readonly signal?: AbortSignal;
  /** Limit of the run's active time, in which work is running or ready, summed over resumes. @default the limit of the workflow */
  readonly timeout?: Duration;
  /** Time at which the run fails if it has not ended; a number is epoch milliseconds. @default none */
  readonly deadline?: Date | number;
  /** Replacements of resources, for tests: `[database.override(fake)]`. @default none */
  readonly resources?: readonly ResourceOverride[];
}

export interface RunOptions<State = unknown> extends ResumeOptions {
  /**
   * State to start with. Without an input, a run in this context that has not ended (restored, or cancelled) continues, as with
   * `resume`. With an input, such a run is refused with `RUN_LIVE`, as is a context whose run is at work in this process.
   */
  readonly context?: RunContext<State>;
  /** Id of the run. @default a new unique id */
  readonly runId?: string;
}

/**
 * A started run, in memory or in a store. It is a promise of the result, so an async function that returns it returns the result
 * instead.
 */
export interface StartedRun<out Result = unknown, out Prompt extends WorkflowEvent = WorkflowEvent>
  extends Promise<Result> {
  readonly runId: string;
  /** Resolves once the start is stored; at once for a run in memory only. Rejects with what kept it from being stored. */
  readonly accepted: Promise<void>;
  /**
   * Sends an event to the run. A refusal is a receipt, not an error.
   *
   * @throws {WorkflowError} `EVENT_NOT_SENDABLE`
   */
  sendEvent<Event>(event: Sendable<Event>, options?: HandlerSendOptions): Promise<Receipt>;
  /**
   * Answers exactly this prompt, with the fields of the event that its wait is for. Refused with `PROMPT_CLOSED` when the wait is
   * over; that is a receipt, not an error.
   *
   * @throws {WorkflowError} `EVENT_INVALID` for fields that do not fit.
   */
  answer(promptId: string, fields?: object): Promise<Receipt>;
  /** Streams all events of the run to any number of readers. `streamEvents<StreamOf<Flow>>()` types the events. */
  streamEvents<Event extends WorkflowEvent = WorkflowEvent>(options?: StreamOptions): RunStream<Event>;
  /**
   * Stops the run and keeps its work: `resume` continues it. Resolves once the run has ended; with `refused` and `RUN_FINISHED` if it
   * had ended before.
   */
  cancel(reason?: unknown): Promise<Receipt>;
  /** Resolves when the run has nothing to do now: it has ended, or waits for an event or a time. */
  idle(): Promise<RunOutcome<Result, Prompt>>;
  /** Returns what `idle()` would resolve to at this moment; `null` while the run has work to do. */
  outcome(): Promise<RunOutcome<Result, Prompt> | null>;
  /** The open prompts of the run, also while it is at work. None once it has ended. */
  prompts(): Promise<readonly PendingPrompt<Prompt>[]>;
}

/** A run that `workflow.run` has started in this process. */
export interface WorkflowHandler<
  out Result = unknown,
  State = unknown,
  out Prompt extends WorkflowEvent = WorkflowEvent,
> extends StartedRun<Result, Prompt> {
  readonly context: RunContext<State>;
}

export interface HandlerSendOptions {
  /** Delivers the event only to this step. @default every step that accepts it */
  readonly step?: string;
}

/** Whether the run accepted an event from outside. */
export type Receipt =
  | { readonly status: "accepted"; readonly sequence: number }
  | {
      readonly status: "refused";
      readonly code: string;
      readonly hint: string;
      /** With `PROMPT_CLOSED` from a durable run whose prompt was answered: `answered` is the answer that counts. */
      readonly details?: { readonly answered: PromptAnswer };
    };

/** State of an idle run. */
export type RunOutcome<Result = unknown, Prompt extends WorkflowEvent = WorkflowEvent> =
  | { readonly status: "completed"; readonly result: Result }
  | {
      readonly status: "waiting";
      readonly prompts: readonly PendingPrompt<Prompt>[];
      /** Time of the next timer, in epoch milliseconds; `null` when only an event from outside can continue the run. */
      readonly wakeAtMs: number | null;
    }
  | { readonly status: "failed"; readonly error: unknown }
  | { readonly status: "cancelled"; readonly reason: unknown }
  | { readonly status: "timedOut"; readonly timeoutMs: number };

/** A prompt without an answer. */
export interface PendingPrompt<out Event extends WorkflowEvent = WorkflowEvent> {
  /** Id for `handler.answer(promptId, fields)`. The same after every restore. */
  readonly promptId: string;
  /**
   * Typed by the steps of a built workflow. Events of a child have the `runId` of the child. A question of `ctx.ask` is a
   * `QuestionEvent`, in any workflow.
   */
  readonly event: Event;
  /** Id of the run that asks: this run, or a child. */
  readonly runId: string;
  /** The step that asks; `null` for a prompt that a step has sent with a delay. */
  readonly step: string | null;
  /** Time of the prompt, in epoch milliseconds. */
  readonly askedAtMs: number;
  /** Latest time at which an answer is accepted, in epoch milliseconds; `null` for no limit. */
  readonly dueAtMs: number | null;
  /** Type of the event that the answer becomes; `null` when the fields alone do not determine it. */
  readonly answerType: string | null;
}

// ---- input and result of `run`, inferred from the steps
// They cost two small conditional types per step, once per workflow class.

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

/** Uses `Fallback` for a workflow with unknown steps, such as a `Workflow` in a list of several. */
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
