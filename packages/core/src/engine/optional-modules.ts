/**
 * Code that only some workflows need, registered by the functions that need it: a program without `collect()` does not
 * bundle the code of collect steps.
 *
 * @module
 */

import type { WorkflowError } from "../errors/workflow-error.js";
import type { EventClass, WorkflowEvent } from "../event/event.js";
import type { CollectTrigger, Definition, Finding, JoinTrigger, Report, StepDefinition } from "./definition.js";
import type { Reduction } from "./reduce/reduction.js";
import type { Route, Routing } from "./routing.js";
import type { EventData, Failure, FanOutState, JoinBuffer, PendingEvent, StepInput, WorkItem } from "./state.js";
import type { StepYielded } from "./tick.js";

/** Registered features. A feature that no part of the program needs is absent. */
export const optionalModules: {
  /** Set by `collect()`. */
  collect?: CollectFeature;
  /** Set by `join()`. */
  join?: JoinFeature;
  /** Set by both: delivers to them, and handles inputs with several events. */
  gathered?: GatheredFeature;
  /** Set by both and by `many()`: their parts of a snapshot, `encodingGathered`. */
  snapshot?: object;
  /** Set by both: finds the fan-outs in which they gather or pair. */
  fanOutChecks?: FanOutChecksFeature;
  /** Set by both: checks and defines a trigger. */
  triggers?: TriggersFeature;
  /** Set by `many()`: checks the events of a fan-out. */
  many?: (emits: unknown, report: Report) => void;
  /** Set by `catchError()`: checks which steps the error handlers cover. */
  handlers?: (steps: readonly StepDefinition[]) => Finding[];
  /** Set by `catchError()`: passes a failure to the handler of its step. `false` if there is none, or none that may try again. */
  recovery?: (reduction: Reduction, item: WorkItem, failure: Failure) => boolean;
  /** Set by `many()`: the fan-outs of a run. */
  fanOuts?: FanOutFeature;
  /** Set by `many()`: the elements that a step returns, sends or yields. */
  elements?: ElementsFeature;
  /** Set by `resource()`: a `ResourceFeature`. */
  resources?: object;
} = {};

export interface TriggersFeature {
  /** Checks the options of a trigger. */
  check(on: object, report: Report): void;
  /** @param typesIn Their types; with `subclasses`, those of their subclasses, too. */
  define(on: object, typesIn: (classes: readonly EventClass[]) => string[]): CollectTrigger | JoinTrigger;
}
export type CollectStep = StepDefinition & { readonly trigger: CollectTrigger };
export type JoinStep = StepDefinition & { readonly trigger: JoinTrigger };

export interface CollectFeature {
  /** A run begins: none of its collect steps has had a batch. */
  begin(reduction: Reduction): void;
  /** Adds an event to the batch of its fan-out. Returns `false` when the step gathers in none of its fan-outs. */
  gather(reduction: Reduction, step: CollectStep, pendingEvent: PendingEvent): boolean;
  /** Calls a collect step with the events that have arrived in a fan-out. */
  fireBatch(reduction: Reduction, scope: FanOutState, name: string): void;
  /** Makes the failure a member of a batch. Returns `false` when no enclosing batch includes failures. */
  settle(reduction: Reduction, item: WorkItem, failure: Failure): boolean;
  /** Returns the events that the batches of a stuck run lack. */
  missing(reduction: Reduction): string[];
}

export interface JoinFeature {
  arrive(reduction: Reduction, step: JoinStep, pendingEvent: PendingEvent): void;
  /** The run is completed: reports the leftovers of all its joins. */
  complete(reduction: Reduction): void;
  /** Reports the leftovers of joins that can no longer be completed. */
  reportLeftovers(reduction: Reduction, buffers: Map<string, JoinBuffer>): void;
  /** Returns the slots that the sets of a stuck run lack. */
  missing(reduction: Reduction): string[];
}

/** An input with several events. */
export type GatheredInput = Exclude<StepInput, { readonly kind: "event" }>;

export interface GatheredFeature {
  /** Passes an event to the collects and joins that accept it. Returns `false` if there is none. */
  offer(reduction: Reduction, route: Route, pendingEvent: PendingEvent): boolean;
  eventsOf(input: GatheredInput): readonly EventData[];
  /** The first argument of a step with this input. */
  argumentOf(input: GatheredInput): unknown;
  shapeOf(input: StepInput): Failure["shape"];
  /** The input of a failed attempt, as the step got it. */
  inShape(events: readonly EventData[], shape: NonNullable<Failure["shape"]>): unknown;
}

/** A step needs one event of `types`. */
export interface Need {
  readonly check: string;
  readonly verb: string;
  readonly types: readonly string[];
  /** First words of the hint for events that only a step can emit. */
  readonly inside?: string;
}

export interface FanOutChecksFeature {
  /** Returns the needs of a step with this trigger. */
  needsOf(trigger: StepDefinition["trigger"]): readonly Need[];
  /** Adds to each fan-out the collects and joins that belong to it. */
  complete(definition: Definition): Definition;
  /** @param isChecked Returns `false` when this step skips the check "uncollected". */
  check(definition: Definition, isChecked: (name: string) => boolean): Finding[];
}

export interface FanOutFeature {
  /** The fan-out that `item` feeds, opened by its first element. */
  fanOutOf(reduction: Reduction, item: WorkItem, counted: boolean): FanOutState;
  /** Delivers the elements that the attempt has returned. */
  take(reduction: Reduction, item: WorkItem, events: readonly EventData[]): void;
  /** Delivers one element of a generator. */
  onStepYielded(reduction: Reduction, tick: StepYielded): void;
  /** Work for one element has ended. */
  leaveScope(reduction: Reduction, scope: FanOutState, index: number): void;
  /** The opener of the fan-out has ended. */
  leaveFanOut(reduction: Reduction, fanOut: FanOutState): void;
  /**
   * Whether this work may be ended while its run continues: by the cancellation of an enclosing fan-out, or of one
   * element of it. A tick of its attempt may then be refused, while later ticks of other items are not.
   */
  canEndAlone(routing: Routing, item: WorkItem): boolean;
  /** Describes what a step of a stuck run returned instead of elements. */
  noneOf(step: string, elements: readonly string[]): string;
  /** Fan-outs that a run that got stuck has not opened. */
  missing(reduction: Reduction): string[];
}

export interface ElementsFeature {
  /** Drives the generator that an attempt has returned. */
  run(attempt: object, generator: AsyncGenerator<unknown, unknown>): void;
  /** Checks the array that a step has returned. */
  check(step: object, events: readonly unknown[]): void;
  /** Returns whether an event that is sent is an element. Refuses more of them than a snapshot could hold. */
  takes(attempt: object, event: WorkflowEvent): boolean;
  /** The error for an element that is returned without an array; `null` for an event of another class. */
  returnedAlone(step: object, event: WorkflowEvent): WorkflowError | null;
  /** Refuses more elements than a snapshot could hold. */
  assertRoom(attempt: object, more: number): void;
}

/** A running generator. */
export interface GeneratorDrive {
  /** Called when fewer of its elements are unfinished than the buffer holds. */
  pull(): void;
  stop(): void;
}
