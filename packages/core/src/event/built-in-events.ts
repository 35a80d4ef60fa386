/**
 * The roles (start, stop, input required, external, human response) and the events of the engine.
 *
 * @module
 */

import { type ErrorRecord, reviveError } from "../value/error-record.js";
import { deepFreeze } from "../value/freeze.js";
import { piecesType, type WrittenPieces } from "../value/pieces.js";
import type { EventBase, EventClass, EventFacts, EventRole, EventShape, eventFacts, WorkflowEvent } from "./event.js";
import type { TypeHint } from "./event.types.js";
import { defineEvent, type EventPlan, planOf } from "./event-class.js";
import { anyValue, type FieldsIn, type FieldsOut } from "./schema.js";

/** Fields without a declared type. */
export interface OpenFields {
  readonly [name: string]: unknown;
}

/** An event that accepts any fields. */
export interface OpenEvent<Type extends string, Role extends EventRole, Lineage extends string = Type>
  extends WorkflowEvent<Type, EventFacts<Role, OpenFields, OpenFields, Lineage>> {
  readonly fields: OpenFields;
  get(name: string): unknown;
}

/** The plain class of a role: accepts any fields, and defines events of that role with declared fields. */
export interface RoleClass<Role extends EventRole, Open extends WorkflowEvent> {
  new (fields?: OpenFields): Open;
  readonly type: Open["type"];
  /** Returns `true` for an instance of exactly this class. */
  is(value: unknown): value is Open;
  /** Makes a base class for an event of this role with its own fields. */
  define<const Type extends string, Shape extends EventShape = {}>(
    type: Type,
    shape?: Shape,
  ): EventBase<Type, EventFacts<Role, FieldsIn<Shape>, FieldsOut<Shape>, Type>>;
}

/** Starts a run. The plain class accepts any argument of `run(input)`. */
export interface StartEvent extends OpenEvent<"StartEvent", "start"> {}
export const StartEvent: RoleClass<"start", StartEvent> = /* @__PURE__ */ openRole("StartEvent", "start");

/** Leaves the run, for an answer from outside. No step needs to accept it. */
export interface InputRequiredEvent extends OpenEvent<"InputRequiredEvent", "inputRequired"> {}
export const InputRequiredEvent: RoleClass<"inputRequired", InputRequiredEvent> = /* @__PURE__ */ openRole(
  "InputRequiredEvent",
  "inputRequired",
);

/** Enters the run from outside. No step needs to emit it. */
export interface ExternalEvent extends OpenEvent<"ExternalEvent", "external"> {}
export const ExternalEvent: RoleClass<"external", ExternalEvent> = /* @__PURE__ */ openRole(
  "ExternalEvent",
  "external",
);

/** An {@link ExternalEvent} from a person: the answer to a prompt. */
export interface HumanResponseEvent
  extends OpenEvent<"HumanResponseEvent", "humanResponse", "HumanResponseEvent" | "ExternalEvent"> {}
export const HumanResponseEvent: RoleClass<"humanResponse", HumanResponseEvent> = /* @__PURE__ */ openRole(
  "HumanResponseEvent",
  "humanResponse",
  ExternalEvent,
);

/** Ends the run; `await handler` returns its `result`. */
export interface StopEvent<out Result = unknown>
  extends WorkflowEvent<
    "StopEvent",
    EventFacts<"stop", { readonly result: Result }, { readonly result: Result }, "StopEvent">
  > {
  readonly result: Result;
}

/** The class `StopEvent`. */
export interface StopEventClass {
  new <Result = undefined>(fields?: { readonly result: Result }): StopEvent<Result>;
  readonly type: "StopEvent";
  /** Returns `true` for an instance of exactly this class. */
  is(value: unknown): value is StopEvent;
  /** Makes a base class for a stop event with fields: `await handler` returns the event itself. */
  define<const Type extends string, Shape extends EventShape = {}>(
    type: Type,
    shape?: Shape,
  ): EventBase<Type, EventFacts<"stop", FieldsIn<Shape>, FieldsOut<Shape>, Type>>;
}
export const StopEvent: StopEventClass = /* @__PURE__ */ stopEvent();

/** Cause of the final failure of a step. */
export interface StepFailure {
  readonly stepName: string;
  /** The error of the step; after a restore, a `STEP_FAILED` error that describes it. */
  readonly error: unknown;
  /** Number of attempts, the first included. */
  readonly attempts: number;
  /** Milliseconds from the start of the first attempt to the final failure. */
  readonly elapsedMs: number;
  /** Time of the final failure, in epoch milliseconds. */
  readonly failedAtMs: number;
  /**
   * Input of the failed attempt: the event, all events of a `collect` batch, or the events of a `join` by slot. For a
   * batch with `settle`, the events that arrived.
   */
  readonly input: FailedInput;
}

/** Input of a failed step: an event, a batch, or a set by slot. */
export type FailedInput = WorkflowEvent | readonly WorkflowEvent[] | { readonly [slot: string]: WorkflowEvent };

/** Cause of the failure of a run. It names no step when no step is the cause, as in `RUN_STUCK`. */
export interface RunFailure extends Omit<StepFailure, "stepName" | "input"> {
  readonly stepName: string | null;
  readonly input: FailedInput | null;
}

/** A failure in its stored form. */
export type StoredFailure<Failure extends RunFailure> = Omit<Failure, "error"> & { readonly error: ErrorRecord };

/** The event that `@catchError` methods accept. */
export interface StepFailedEvent
  extends WorkflowEvent<"StepFailedEvent", EventFacts<"stepFailed", never, StepFailure, "StepFailedEvent">>,
    StepFailure {
  readonly failure: StoredFailure<StepFailure>;
}
export const StepFailedEvent: EngineEventClass<StepFailedEvent> = /* @__PURE__ */ failureEvent(
  "StepFailedEvent",
  "stepFailed",
);

/** The run has failed. */
export interface WorkflowFailedEvent
  extends WorkflowEvent<"WorkflowFailedEvent", EventFacts<"terminal", never, RunFailure, "WorkflowFailedEvent">>,
    RunFailure {
  readonly failure: StoredFailure<RunFailure>;
}
export const WorkflowFailedEvent: EngineEventClass<WorkflowFailedEvent> = /* @__PURE__ */ failureEvent(
  "WorkflowFailedEvent",
  "terminal",
);

/** An event that only the engine creates. */
export type EngineEvent<Type extends string, Role extends EventRole, Fields> = WorkflowEvent<
  Type,
  EventFacts<Role, never, Fields, Type>
> &
  Fields;

export interface TimedOut {
  readonly timeoutMs: number;
  readonly activeSteps: readonly string[];
}
/** The run has exceeded its time limit. */
export interface WorkflowTimedOutEvent extends EngineEvent<"WorkflowTimedOutEvent", "terminal", TimedOut> {}
export const WorkflowTimedOutEvent: EngineEventClass<WorkflowTimedOutEvent> = /* @__PURE__ */ engineEvent(
  "WorkflowTimedOutEvent",
  "terminal",
);

export interface Cancelled {
  readonly reason: unknown;
}
/** The run was cancelled. */
export interface WorkflowCancelledEvent extends EngineEvent<"WorkflowCancelledEvent", "terminal", Cancelled> {}
export const WorkflowCancelledEvent: EngineEventClass<WorkflowCancelledEvent> = /* @__PURE__ */ engineEvent(
  "WorkflowCancelledEvent",
  "terminal",
);

export interface JoinIncomplete {
  /** Name of the step with the join. */
  readonly step: string;
  /** Slots without an event. */
  readonly missing: readonly string[];
  /** The events that arrived. */
  readonly events: readonly WorkflowEvent[];
}
/** The run ended while a join was incomplete. */
export interface JoinIncompleteEvent extends EngineEvent<"JoinIncompleteEvent", "notice", JoinIncomplete> {}
export const JoinIncompleteEvent: EngineEventClass<JoinIncompleteEvent> = /* @__PURE__ */ engineEvent(
  "JoinIncompleteEvent",
  "notice",
);

/** Events of one type in the same place. */
export interface DiscardedEvents {
  readonly type: string;
  /** The step that it was for; `null` for one that no step had taken. */
  readonly step: string | null;
  /**
   * `queued`: its step had not begun. `running`: its step was at work, or waited for a retry. `delayed`: sent with a delay that was
   * not over. `kept`: no step had waited for it yet. `gathered`: the batch of its collect step was not complete.
   */
  readonly status: "queued" | "running" | "delayed" | "kept" | "gathered";
  readonly count: number;
}
export interface WorkDiscarded {
  readonly events: readonly DiscardedEvents[];
}
/** A stop event has ended the run while other work was left, which is discarded. */
export interface WorkDiscardedEvent extends EngineEvent<"WorkDiscardedEvent", "notice", WorkDiscarded> {}
export const WorkDiscardedEvent: EngineEventClass<WorkDiscardedEvent> = /* @__PURE__ */ engineEvent(
  "WorkDiscardedEvent",
  "notice",
);

export interface StepRestarted {
  readonly step: string;
  /** Work item of the step. What it streamed before this event does not count, except inside of the calls in `kept`. */
  readonly item: number;
  readonly attempt: number;
  /**
   * Ended calls of `ctx.run` and `editState`: their streamed events count, and are not streamed again. Absent if there are
   * none.
   */
  readonly kept?: readonly string[];
}
/** A step runs again for the same work item. */
export interface StepRestartedEvent extends EngineEvent<"StepRestartedEvent", "notice", StepRestarted> {}
export const StepRestartedEvent: EngineEventClass<StepRestartedEvent> = /* @__PURE__ */ engineEvent(
  "StepRestartedEvent",
  "notice",
);

export interface Asked {
  /** Text that the person reads first. */
  readonly title: string;
  /** Further output of the step. */
  readonly details?: unknown;
  /** JSON Schema of the answer: `{}` if the schema library cannot express it. */
  readonly schema: { readonly [keyword: string]: unknown };
}
/** A question of `ctx.ask`. */
export interface QuestionEvent extends EngineEvent<"millrace.question", "inputRequired", Asked> {}
export const QuestionEvent: EngineEventClass<QuestionEvent> = /* @__PURE__ */ engineEvent(
  "millrace.question",
  "inputRequired",
);

/** The answer to a question of `ctx.ask`, as it was sent. */
export interface AnswerEvent
  extends WorkflowEvent<"millrace.answer", EventFacts<"humanResponse", never, OpenFields, "millrace.answer">> {
  readonly fields: OpenFields;
}
export const AnswerEvent: EngineEventClass<AnswerEvent> = /* @__PURE__ */ engineEvent(
  "millrace.answer",
  "humanResponse",
  "fields",
);
/** Pieces that the function of a `ctx.run` has written with `call.write`: for {@link PieceReader}. */
export interface PiecesEvent extends EngineEvent<"millrace.pieces", "notice", WrittenPieces> {}
export const PiecesEvent: EngineEventClass<PiecesEvent> = /* @__PURE__ */ engineEvent(piecesType, "notice");

/** Class of an event that only the engine creates. */
export interface EngineEventClass<Event extends WorkflowEvent> {
  new (fields: TypeHint<"Only the engine makes this event.">): Event;
  readonly type: Event["type"];
  /** Returns `true` for an instance of exactly this class. */
  is(value: unknown): value is Event;
}

/** Fields from which the engine creates an event. */
export type EngineFields<Event extends WorkflowEvent> = Event extends
  | { readonly failure: infer Held }
  | { readonly fields: infer Held }
  ? Held
  : Event[typeof eventFacts]["fields"];

/** Creates an event of the engine, without checks. @internal */
export function makeEngineEvent<Event extends WorkflowEvent>(
  eventClass: EngineEventClass<Event>,
  fields: EngineFields<Event>,
): Event {
  const made = Object.create(eventClass.prototype);
  const { holder } = planOf(eventClass);
  return Object.freeze(Object.assign(made, deepFreeze(holder === null ? fields : { [holder]: fields })));
}

/** The engine's events by type, which every workflow has. @internal */
export const engineEvents: ReadonlyMap<string, EventClass> = /* @__PURE__ */ mapEngineEvents();

// Function declarations, because the classes above are created when the module loads; each by a call that bundlers may
// drop.

function mapEngineEvents(): Map<string, EventClass> {
  const classes = [
    StepFailedEvent,
    WorkflowFailedEvent,
    WorkflowTimedOutEvent,
    WorkflowCancelledEvent,
    JoinIncompleteEvent,
    WorkDiscardedEvent,
    StepRestartedEvent,
    QuestionEvent,
    AnswerEvent,
    PiecesEvent,
  ];
  return new Map(classes.map((eventClass) => [eventClass.type, eventClass as never]));
}

function stopEvent(): never {
  return withDefine(defineEvent({ type: "StopEvent", role: "stop", final: true, shape: { result: anyValue() } }));
}

function openRole(type: string, role: EventRole, base?: { readonly type: string }): never {
  const open = defineEvent({ type, role, holder: "fields", final: true, ...(base && { base: base as EventClass }) });
  return withDefine(member(open, "get", { value: read }));
}

function read(this: { readonly fields: OpenFields }, name: string): unknown {
  return Object.hasOwn(this.fields, name) ? this.fields[name] : undefined;
}

function withDefine(eventClass: EventClass): never {
  const { role } = planOf(eventClass);
  const define = (type: string, shape?: object): EventClass => defineEvent({ type, role, shape });
  return Object.defineProperty(eventClass, "define", { value: define }) as never;
}

function engineEvent(type: string, role: EventRole, holder: EventPlan["holder"] = null): never {
  return defineEvent({ type, role, holder, engine: true, final: true }) as never;
}

function failureEvent(type: string, role: EventRole): never {
  const failed: EventClass = /* @__PURE__ */ engineEvent(type, role, "failure");
  for (const name of ["stepName", "attempts", "elapsedMs", "failedAtMs", "input"] as const) {
    member(failed, name, {
      get(this: StepFailedEvent) {
        return this.failure[name];
      },
    });
  }
  member(failed, "error", {
    get(this: StepFailedEvent) {
      return reviveError(this.failure.error);
    },
  });
  return member(failed, "toJSON", { value: failureToJson });
}

/** Omits the stack and other errors, which are for logs. */
function failureToJson(this: StepFailedEvent): Record<string, unknown> {
  const { stack, cause, errors, ...error } = this.failure.error;
  return { ...this.failure, error };
}

function member(eventClass: EventClass, name: string, descriptor: PropertyDescriptor): never {
  Object.defineProperty(eventClass.prototype, name, descriptor);
  return eventClass as never;
}
