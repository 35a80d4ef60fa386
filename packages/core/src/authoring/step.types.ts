/**
 * Options of steps, and the steps made from them.
 *
 * @module
 */

import type { EventClass, EventFacts, EventRole, WorkflowEvent } from "../event/event.js";
import type { TypeHint } from "../event/type-hint.js";
import type { ResourceMap } from "../resource/resource.types.js";
import type { RetryPolicy } from "../retry/retry.types.js";
import type { Duration } from "../value/duration.js";
import type { Context } from "./context.types.js";
import type { FirstOf, Fitting, Many, StepReturn } from "./step-return.types.js";
import type {
  AcceptableClasses,
  AcceptedOn,
  AnyTrigger,
  EngineRole,
  EventIn,
  SettledEvent,
  Trigger,
} from "./trigger.types.js";
import type { StateOf, workflowState } from "./workflow-facts.types.js";

/**
 * A check that a workflow or a step may skip. `reachability`: every step can be reached. `deadEnd`: every step leads to
 * an end: a stop event, a prompt, or a step that emits nothing. `uncollected`: events that a collect gathers in one fan-out (`of`) are also accepted outside of it, where
 * they arise there.
 */
export type GraphCheck = "reachability" | "deadEnd" | "uncollected";

/** An event that a step may emit. */
export interface EmittableEvent extends WorkflowEvent<string, EventFacts<EmittableRole>> {}
export type EmittableRole = Exclude<EventRole, EngineRole>;
export type EmittableClass = EventClass<EmittableEvent>;
export type EmittableClasses = EmittableClass | Many | readonly (EmittableClass | Many)[];
export type Emission<Emits> = Emits extends readonly (infer Entry)[] ? EmissionOf<Entry> : EmissionOf<Emits>;
type EmissionOf<Entry> = Entry extends EventClass<infer Event> ? Event : Extract<Entry, Many>;

/** An event that a step may show to readers of the stream. */
export interface StreamableEvent extends WorkflowEvent<string, EventFacts<Exclude<EmittableRole, "stop">>> {}
export type StreamableClass = EventClass<StreamableEvent>;
export type StreamableClasses = StreamableClass | readonly StreamableClass[];

/** Options of any step, whatever starts it. */
export interface StepSettings {
  /** @default the name of the method */
  readonly name?: string;
  /** Number of events that this step processes at once. Integer, at least 1. @default 4 */
  readonly workers?: number;
  /** @default no retries */
  readonly retry?: RetryPolicy;
  /** Time limit of an attempt, without its waits. @default none */
  readonly timeout?: Duration;
  /** `true`: the step accepts and waits for subclasses of the named events, too. @default false */
  readonly subclasses?: boolean;
  /** Events that this step awaits with `ctx.waitForEvent`. */
  readonly waits?: AcceptableClasses;
  /** Events that this step only shows: with `ctx.writeEventToStream`, or as the prompt of a wait. */
  readonly streams?: StreamableClasses;
  /** Name of one of the workflow's `limits`, shared by all its runs. */
  readonly limit?: string;
  /** Graph checks to skip for this step. */
  readonly skipChecks?: readonly GraphCheck[];
}

/** Options of `step`. */
export interface StepOptions<On extends AnyTrigger, Emits extends EmittableClasses, Needs extends ResourceMap>
  extends StepSettings {
  /** What starts this step: an event class, several, `collect(...)` or `join({...})`. */
  readonly on: AcceptedOn<On>;
  /** All events that the step returns, yields or sends. */
  readonly emits?: Emits;
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
 * What a decorator takes for `Method`: `Given` itself if it fits. Otherwise a sentence, which the compiler prints as the type that `Given` is
 * not assignable to.
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

/** The options that change the graph or the stream, with their literal types. */
export interface GraphOptions<
  Waits extends AcceptableClasses,
  Subclasses extends boolean,
  Streams extends StreamableClasses,
> {
  readonly waits?: Waits;
  readonly subclasses?: Subclasses;
  readonly streams?: Streams;
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
export type AnyStepOptions = StepOptions<Trigger, EmittableClasses, ResourceMap>;
/** @internal */
export type StepFunction = (...args: any) => unknown;

/** Options of `catchError`. */
export interface CatchErrorOptions<Emits extends EmittableClasses>
  extends Pick<StepSettings, "name" | "timeout" | "waits" | "streams"> {
  /** Names of the steps that the handler covers. @default every step that no other handler covers */
  readonly steps?: readonly string[];
  /**
   * Number of recoveries in one lineage of events; after that the run fails with the original error. Integer, at least
   * 1.
   * @default 1
   */
  readonly maxRecoveries?: number;
  /** All events that the handler returns, yields or sends. */
  readonly emits?: Emits;
}
