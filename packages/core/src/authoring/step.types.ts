/**
 * Options of steps, and the steps made from them.
 *
 * @module
 */

import type { EventClass, EventFacts, EventRole, WorkflowEvent } from "../event/event.js";
import type { TypeHint } from "../event/event.types.js";
import type { ResourceMap } from "../resource/resource.js";
import type { RetryPolicy } from "../retry/retry-policy.js";
import type { Duration } from "../value/duration.js";
import type { Context } from "./context.types.js";
import type {
  AcceptableClasses,
  AcceptedOn,
  AnyClasses,
  AnyTrigger,
  AwaitedClasses,
  EngineRole,
  EventIn,
  FirstOf,
  Fitting,
  Many,
  Misfit,
  SettledEvent,
  StateOf,
  StepReturn,
  Trigger,
  workflowState,
} from "./trigger.types.js";

/**
 * A check that a workflow or a step may skip. `reachability`: every step can be reached. `deadEnd`: every step leads to an
 * end: a stop event, a prompt, or a step that emits nothing. `uncollected`: events that a collect gathers in one fan-out
 * (`of`) are also accepted outside of it, where they arise there.
 */
export type GraphCheck = "reachability" | "deadEnd" | "uncollected";

/** An event that a step may emit. */
export interface EmittableEvent extends WorkflowEvent<string, EventFacts<EmittableRole>> {}
export type EmittableRole = Exclude<EventRole, EngineRole>;
export type EmittableClass = EventClass<EmittableEvent>;
export type EmittableClasses = EmittableClass | Many | readonly (EmittableClass | Many)[];
/** Any classes, also of events that no step emits: for a sentence instead of a comparison of classes. */
export type AnyEmission = EventClass | Many | readonly (EventClass | Many)[];
/** `Emits`, or a sentence where no step emits it. */
export type EmittedClasses<Emits> = [EventClass] extends [Emits]
  ? EmittableClasses
  : Emits extends EmittableClasses
    ? Emits
    : `No step emits ${Misfit<EventIn<Emits>, EmittableEvent>}: only the engine makes it.`;
// `any`: where `emits` is wrong, that one error is enough; what the step returns then fits.
export type Emission<Emits> = Emits extends EmittableClasses
  ? Emits extends readonly (infer Entry)[]
    ? EmissionOf<Entry>
    : EmissionOf<Emits>
  : any;
type EmissionOf<Entry> = Entry extends EventClass<infer Event> ? Event : Extract<Entry, Many>;

/** An event that a step may show to readers of the stream. */
export interface StreamableEvent extends WorkflowEvent<string, EventFacts<Exclude<EmittableRole, "stop">>> {}
export type StreamableClass = EventClass<StreamableEvent>;
export type StreamableClasses = StreamableClass | readonly StreamableClass[];
/** `Streams`, or a sentence where a step cannot show it. */
export type StreamedClasses<Streams> = [EventClass] extends [Streams]
  ? StreamableClasses
  : Streams extends StreamableClasses
    ? Streams
    : `No step streams ${Misfit<EventIn<Streams>, StreamableEvent>}: it ends a run, or only the engine makes it.`;

/** Options of any step, without its events. */
interface Settings {
  /** @default the name of the method */
  readonly name?: string;
  /** Number of events that this step processes at once. Integer, at least 1. @default 4 */
  readonly workers?: number;
  /** @default no retries */
  readonly retry?: RetryPolicy;
  /** Time limit of an attempt, without its waits. @default none */
  readonly timeout?: Duration;
  /** Whether the step accepts and waits for subclasses of the named events, too. @default false */
  readonly subclasses?: boolean;
  /** Name of one of the workflow's `limits`, shared by all its runs. */
  readonly limit?: string;
  /** Graph checks to skip for this step. */
  readonly skipChecks?: readonly GraphCheck[];
}

/** Events of a step that it neither accepts nor emits. */
export interface DeclaredEvents<Waits extends AnyClasses, Streams extends AnyClasses> {
  /** Events that this step awaits with `ctx.waitForEvent`. */
  readonly waits?: AwaitedClasses<Waits>;
  /** Events that this step only shows: with `ctx.writeEventToStream`, or as the prompt of a wait. */
  readonly streams?: StreamedClasses<Streams>;
}

/** Options of any step, whatever starts it. */
export interface StepSettings extends Settings {
  readonly waits?: AcceptableClasses;
  readonly streams?: StreamableClasses;
}

/** Options of `step`. */
export interface StepOptions<
  On extends AnyTrigger,
  Emits extends AnyEmission,
  Needs extends ResourceMap,
  Waits extends AnyClasses = AcceptableClasses,
  Streams extends AnyClasses = StreamableClasses,
> extends Settings,
    DeclaredEvents<Waits, Streams> {
  /** Start of this step: an event class, several, `collect(...)` or `join({...})`. */
  readonly on: AcceptedOn<On>;
  /** All events that the step returns, yields or sends. */
  readonly emits?: EmittedClasses<Emits>;
  /** Resources that the step gets as its third argument. */
  readonly resources?: Needs;
}

/** Decorates a method that takes `Payload` and returns only `Emitted`. */
export interface StepDecorator<Payload, Emitted, Resources> {
  /**
   * `experimentalDecorators`. Listed first: a TC39 call never has three arguments, so each mode sees one signature and
   * one error.
   */
  <Self, Method extends StepFunction>(
    target: Self & InWorkflow<Self>,
    key: string | symbol,
    descriptor: Decorated<
      TypedPropertyDescriptor<Method>,
      { readonly value?: StepMethod<Self, Payload, Resources, any> | undefined },
      Payload,
      Emitted,
      Method
    >,
  ): void;
  /** TC39. The empty rest keeps this signature out of `experimentalDecorators` errors. */
  <Self, Method extends StepFunction>(
    method: Decorated<Method, StepMethod<Self, Payload, Resources, any>, Payload, Emitted, Method>,
    context: ClassMethodDecoratorContext<Self> & InWorkflow<Self>,
    ...none: []
  ): void;
}

/**
 * Type that a decorator takes for `Method`: `Given` itself if it fits. Otherwise a sentence, which the compiler prints as the
 * type that `Given` is not assignable to.
 */
type Decorated<Given, Wanted, Payload, Emitted, Method extends StepFunction> = Given extends Wanted
  ? Fitting<Given, ReturnType<Method>, Emitted>
  : FirstOf<ParameterFault<Parameters<Method>[0], Payload>, Wanted>;

/** `never` where the compiler says it better: for the other parameters, and for the slots of a join. */
type ParameterFault<Taken, Payload> = Payload extends Taken
  ? never
  : Payload extends { readonly type: infer Type extends string }
    ? `The step gets ${Type}: its first parameter has to accept that.`
    : Payload extends readonly (infer Member)[]
      ? MemberName<Member> extends infer Name extends string
        ? `The step gets an array of ${Name}: its first parameter has to accept that.`
        : never
      : never;
type MemberName<Member> = Member extends { readonly type: infer Type extends string }
  ? Type
  : Member extends SettledEvent<{ readonly type: infer Type extends string }>
    ? `Settled<${Type}>`
    : never;

export type StepMethod<Self, Payload, Resources, Return> = (
  this: Self,
  event: Payload,
  ctx: Context<StateOf<Self>>,
  resources: Resources,
) => Return;

type InWorkflow<Self> = Self extends { readonly [workflowState]: unknown }
  ? unknown
  : TypeHint<"A step is an instance method of a class that extends Workflow.">;

/** The option that changes the graph, with its literal type. */
export interface SubclassOption<Subclasses extends boolean> {
  readonly subclasses?: Subclasses;
}

/** Marks a free step with such options, for its workflow. The property does not exist at runtime. @internal */
export declare const graphMarks: unique symbol;
export interface GraphMarks<out Waited, out Subclasses, out Streamed> {
  readonly [graphMarks]: { readonly waited: Waited; readonly subclasses: Subclasses; readonly streamed: Streamed };
}
/** Empty for most steps, so that their hovers stay short. */
export type Marks<Waits, Subclasses, Streams> = [Waits, Subclasses, Streams] extends [never, false, never]
  ? unknown
  : GraphMarks<EventIn<Waits>, Subclasses, EventIn<Streams>>;

/** A step made of a function: a field of a workflow, or an argument of `defineWorkflow(...).step`. */
export interface Step<in Payload = never, out Emitted = unknown, State = never> {
  (event: Payload, ctx: Context<State>, resources?: any): StepReturn<Emitted>;
  readonly options: StepSettings;
}

/** Options of any step, without their types. @internal */
export interface AnyStepOptions extends StepSettings {
  readonly on: Trigger;
  readonly emits?: EmittableClasses;
  readonly resources?: ResourceMap;
}
/** @internal */
export type StepFunction = (...args: any) => unknown;

/** Options of `catchError`. */
export interface CatchErrorOptions<
  Emits extends AnyEmission,
  Waits extends AnyClasses = AcceptableClasses,
  Streams extends AnyClasses = StreamableClasses,
> extends Pick<Settings, "name" | "timeout">,
    DeclaredEvents<Waits, Streams> {
  /** Names of the steps that the handler covers. @default every step that no other handler covers */
  readonly steps?: readonly string[];
  /**
   * Number of recoveries in one lineage of events; after that the run fails with the original error. Integer, at least
   * 1.
   * @default 1
   */
  readonly maxRecoveries?: number;
  /** All events that the handler returns, yields or sends. */
  readonly emits?: EmittedClasses<Emits>;
}
