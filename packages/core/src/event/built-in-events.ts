/**
 * The roles (start, stop, input required, external, human response) and the events the engine makes.
 *
 * @module
 */
import { type ErrorRecord, reviveError } from "../errors/error-record.js";
import { deepFreeze } from "../value/freeze.js";
import type { EventBase, EventClass, EventFacts, EventRole, EventShape, eventFacts, WorkflowEvent } from "./event.js";
import { defineEvent, planOf } from "./event-class.js";
import type { FieldsIn, FieldsOut } from "./schema.js";
import type { StandardSchema } from "./standard-schema.js";
import type { TypeHint } from "./type-hint.js";

const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "millrace", validate: (value) => ({ value }) },
};

/** Fields nobody declared. */
export interface OpenFields {
  readonly [name: string]: unknown;
}

/** An event that takes any fields. */
export interface OpenEvent<Type extends string, Role extends EventRole, Lineage extends string = Type>
  extends WorkflowEvent<Type, EventFacts<Role, OpenFields, OpenFields, Lineage>> {
  readonly fields: OpenFields;
  get(name: string): unknown;
}

/** The class of a role: takes any fields, and defines events of that role with fields of their own. */
export interface RoleClass<Role extends EventRole, Open extends WorkflowEvent> {
  new (fields?: OpenFields): Open;
  readonly type: Open["type"];
  /** True for an instance of exactly this class. */
  is(value: unknown): value is Open;
  /** A base class for an event of this role with fields of its own. */
  define<const Type extends string, Shape extends EventShape = {}>(
    type: Type,
    shape?: Shape,
  ): EventBase<Type, EventFacts<Role, FieldsIn<Shape>, FieldsOut<Shape>, Type>>;
}

/** Starts a run. The plain one takes whatever `run(input)` is given. */
export interface StartEvent extends OpenEvent<"StartEvent", "start"> {}
export const StartEvent: RoleClass<"start", StartEvent> = /* @__PURE__ */ openRole("StartEvent", "start");

/** Leaves the run: something outside should answer. No step has to accept it. */
export interface InputRequiredEvent extends OpenEvent<"InputRequiredEvent", "inputRequired"> {}
export const InputRequiredEvent: RoleClass<"inputRequired", InputRequiredEvent> = /* @__PURE__ */ openRole(
  "InputRequiredEvent",
  "inputRequired",
);

/** Enters the run from outside. No step has to emit it. */
export interface ExternalEvent extends OpenEvent<"ExternalEvent", "external"> {}
export const ExternalEvent: RoleClass<"external", ExternalEvent> = /* @__PURE__ */ openRole(
  "ExternalEvent",
  "external",
);

/** An {@link ExternalEvent} that a person sends: the answer to a prompt. */
export interface HumanResponseEvent
  extends OpenEvent<"HumanResponseEvent", "humanResponse", "HumanResponseEvent" | "ExternalEvent"> {}
export const HumanResponseEvent: RoleClass<"humanResponse", HumanResponseEvent> = /* @__PURE__ */ openRole(
  "HumanResponseEvent",
  "humanResponse",
  ExternalEvent,
);

/** Ends the run; `result` is what `await handler` gives. */
export interface StopEvent<out Result = unknown>
  extends WorkflowEvent<
    "StopEvent",
    EventFacts<"stop", { readonly result: Result }, { readonly result: Result }, "StopEvent">
  > {
  readonly result: Result;
}

export interface StopEventClass {
  new <Result = undefined>(fields?: { readonly result: Result }): StopEvent<Result>;
  readonly type: "StopEvent";
  /** True for an instance of exactly this class. */
  is(value: unknown): value is StopEvent;
  /** A stop event with fields: `await handler` gives the event itself. */
  define<const Type extends string, Shape extends EventShape = {}>(
    type: Type,
    shape?: Shape,
  ): EventBase<Type, EventFacts<"stop", FieldsIn<Shape>, FieldsOut<Shape>, Type>>;
}
export const StopEvent: StopEventClass = /* @__PURE__ */ stopEvent();

/** Why a step failed for good. */
export interface StepFailure {
  readonly stepName: string;
  /** What the step threw; after a restore, a `STEP_FAILED` error that describes it. */
  readonly error: unknown;
  /** How often the step was tried, the first time included. */
  readonly attempts: number;
  readonly elapsedMs: number;
  readonly failedAtMs: number;
  /**
   * What the failed attempt got: the event, all events of the batch of a `collect`, or the events of a `join` by slot. Of a
   * batch with `settle`, the events that came.
   */
  readonly input: FailedInput;
}

/** The input of a step that failed: an event, a batch, or a set by slot. */
export type FailedInput = WorkflowEvent | readonly WorkflowEvent[] | { readonly [slot: string]: WorkflowEvent };

/** Why a run failed. Without a step when no step is to blame, as in `RUN_STUCK`. */
export interface RunFailure extends Omit<StepFailure, "stepName" | "input"> {
  readonly stepName: string | null;
  readonly input: FailedInput | null;
}

/** A failure as it is stored. */
export type StoredFailure<Failure extends RunFailure> = Omit<Failure, "error"> & { readonly error: ErrorRecord };

/** What `@catchError` methods accept. */
export interface StepFailedEvent
  extends WorkflowEvent<"StepFailedEvent", EventFacts<"stepFailed", never, StepFailure, "StepFailedEvent">>,
    StepFailure {
  readonly failure: StoredFailure<StepFailure>;
}
export const StepFailedEvent: EngineEventClass<StepFailedEvent> = /* @__PURE__ */ failureEvent(
  "StepFailedEvent",
  "stepFailed",
);

/** The run failed. */
export interface WorkflowFailedEvent
  extends WorkflowEvent<"WorkflowFailedEvent", EventFacts<"terminal", never, RunFailure, "WorkflowFailedEvent">>,
    RunFailure {
  readonly failure: StoredFailure<RunFailure>;
}
export const WorkflowFailedEvent: EngineEventClass<WorkflowFailedEvent> = /* @__PURE__ */ failureEvent(
  "WorkflowFailedEvent",
  "terminal",
);

/** An event that only the engine makes. */
export type EngineEvent<Type extends string, Role extends EventRole, Fields> = WorkflowEvent<
  Type,
  EventFacts<Role, never, Fields, Type>
> &
  Fields;

export interface TimedOut {
  readonly timeoutMs: number;
  readonly activeSteps: readonly string[];
}
/** The run took too long. */
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
  readonly step: string;
  /** Slots that nothing came for. */
  readonly missing: readonly string[];
  /** What had come. */
  readonly events: readonly WorkflowEvent[];
}
/** The run ended with a join that was not complete. */
export interface JoinIncompleteEvent extends EngineEvent<"JoinIncompleteEvent", "notice", JoinIncomplete> {}
export const JoinIncompleteEvent: EngineEventClass<JoinIncompleteEvent> = /* @__PURE__ */ engineEvent(
  "JoinIncompleteEvent",
  "notice",
);

export interface StepRestarted {
  readonly step: string;
  /** The work item: what it streamed before this event was a vain attempt. */
  readonly item: number;
  readonly attempt: number;
}
/** A step runs again for the same work item. */
export interface StepRestartedEvent extends EngineEvent<"StepRestartedEvent", "notice", StepRestarted> {}
export const StepRestartedEvent: EngineEventClass<StepRestartedEvent> = /* @__PURE__ */ engineEvent(
  "StepRestartedEvent",
  "notice",
);

/** Only the engine makes these. */
export interface EngineEventClass<Event extends WorkflowEvent> {
  new (fields: TypeHint<"Only the engine makes this event.">): Event;
  readonly type: Event["type"];
  /** True for an instance of exactly this class. */
  is(value: unknown): value is Event;
}

/** What an event of the engine is made of. */
export type EngineFields<Event extends WorkflowEvent> = Event extends { readonly failure: infer Failure }
  ? Failure
  : Event[typeof eventFacts]["fields"];

/** Makes an event of the engine. Nothing is checked. @internal */
export function makeEngineEvent<Event extends WorkflowEvent>(
  eventClass: EngineEventClass<Event>,
  fields: EngineFields<Event>,
): Event {
  const made = Object.create(eventClass.prototype);
  const { holder } = planOf(eventClass);
  return Object.freeze(Object.assign(made, deepFreeze(holder === null ? fields : { [holder]: fields })));
}

/** The engine's own events by type: every workflow knows them. @internal */
export const engineEvents: ReadonlyMap<string, EventClass> = /* @__PURE__ */ mapEngineEvents();

// Function declarations: the classes above are made when the module loads. Each by a call that bundlers may drop.

function mapEngineEvents(): Map<string, EventClass> {
  const classes = [
    StepFailedEvent,
    WorkflowFailedEvent,
    WorkflowTimedOutEvent,
    WorkflowCancelledEvent,
    JoinIncompleteEvent,
    StepRestartedEvent,
  ];
  return new Map(classes.map((eventClass) => [eventClass.type, eventClass as never]));
}

function stopEvent(): never {
  return withDefine(defineEvent({ type: "StopEvent", role: "stop", final: true, shape: { result: anything } }));
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

function engineEvent(type: string, role: EventRole, holder: "failure" | null = null): never {
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

/** Without stack and causes: those are for logs. */
function failureToJson(this: StepFailedEvent): Record<string, unknown> {
  const { stack, cause, ...error } = this.failure.error;
  return { ...this.failure, error };
}

function member(eventClass: EventClass, name: string, descriptor: PropertyDescriptor): never {
  Object.defineProperty(eventClass.prototype, name, descriptor);
  return eventClass as never;
}
