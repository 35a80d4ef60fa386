/**
 * Types of a workflow: its class, its index, its middleware, and its graph as the compiler keeps it.
 *
 * @module
 */

import type { eventFacts, WorkflowEvent } from "../event/event.js";
import type { InspectionListener, InspectionName, Telemetry } from "../inspect/inspector.js";
import type { Context } from "./context.types.js";
import type {
  PromptOf,
  ResultOf,
  ResumeOptions,
  RunArguments,
  Runnable,
  RunOptions,
  WorkflowHandler,
} from "./handler.types.js";
import type { RunContext } from "./store.types.js";
import type { Collect, EventOf, Many, StateOf, workflowState } from "./trigger.types.js";

/**
 * A workflow: extend it and decorate its steps.
 *
 * The graph is checked when an instance is first run, described, validated or given a context, because fields made with
 * `step(options, fn)` do not exist before the constructor has ended. Problems of a single decorated step are errors of
 * the constructor.
 *
 * It is an interface and a constant instead of a class, so that `extends Workflow<{ count: number }>` does not compile:
 * a state type always has a schema (`withState`). Names of its members cannot be names of steps.
 */
export interface Workflow<State = unknown> {
  readonly [workflowState]: State;

  /**
   * Starts a run and returns synchronously. `input` is the fields of the start event, or the event.
   *
   * @throws {WorkflowError} `WORKFLOW_INVALID` naming every problem of the graph; `EVENT_INVALID` for invalid input;
   * `START_AMBIGUOUS` when none or more than one of several start events accepts the input.
   */
  run<Self extends Workflow>(
    this: Self & Runnable<Self>,
    input: undefined,
    options: RunOptions<StateOf<Self>> & { readonly context: RunContext<StateOf<Self>> },
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>, PromptOf<Self>>;
  run<Self extends Workflow>(
    this: Self & Runnable<Self>,
    ...args: RunArguments<Self, RunOptions<StateOf<Self>>>
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>, PromptOf<Self>>;

  /** Continues a run that was running, waiting or cancelled. */
  resume<Self extends Workflow>(
    this: Self & Runnable<Self>,
    context: RunContext<StateOf<Self>>,
    options?: ResumeOptions,
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>, PromptOf<Self>>;

  /** Runs the failed and leftover work of a failed or timed-out run again, with reset counters. */
  retry<Self extends Workflow>(
    this: Self & Runnable<Self>,
    context: RunContext<StateOf<Self>>,
    options?: ResumeOptions,
  ): WorkflowHandler<ResultOf<Self>, StateOf<Self>, PromptOf<Self>>;

  /** Calls `listener` for this inspection event of all runs of this instance. Returns the function that stops it. */
  on<Name extends InspectionName>(name: Name, listener: InspectionListener<Name>): () => void;

  /** Wraps every attempt of every step. The first middleware added is the outermost. */
  use(middleware: Middleware): this;
  /** Traces all runs of this instance and their children. One at a time: the last one counts. */
  use(telemetry: Telemetry): this;

  /** Disposes the resources with the scope `workflow`. */
  [Symbol.asyncDispose](): Promise<void>;
}

// ---- functions that compute the indexed values of an input

/** Result of a function of an index; `undefined` if the run has no such value. Each text of a list finds the run. */
export type IndexValue = string | number | boolean | null | undefined | readonly string[];

/**
 * Functions by name: each gets the start event, and returns the value by which `runtime.runs({ input: { name: value } })` finds the run.
 * At most 10 names of 1 to 50 letters, digits, `_`, `-` or `.`; at most 20 values of a list, each of at most 255 bytes of UTF-8.
 */
export type InputIndex = { readonly [name: string]: (input: never) => IndexValue };

/** One attempt of a step, for middleware. */
export interface StepCall {
  readonly workflow: string;
  readonly runId: string;
  readonly step: string;
  /** Id of the work item: one delivery of one event, batch or set to one step. */
  readonly item: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Input of the step: an event, a batch, or a set. */
  readonly event: unknown;
  readonly ctx: Context;
}

/** The property does not exist at runtime. @internal */
export declare const stepOutput: unique symbol;
/** Output of a step, for middleware to return. The result of the outermost middleware counts. */
export interface StepOutput {
  readonly [stepOutput]: unknown;
}

/**
 * Wraps every attempt of every step. `next` runs the attempt, with the middleware added later, and rejects when it
 * fails. Call it at most once: a second call is refused with `CALL_INVALID`, and the attempt fails.
 *
 * @example
 * workflow.use(async (call, next) => {
 *   const startedAt = performance.now();
 *   try {
 *     return await next();
 *   } finally {
 *     report(call.step, performance.now() - startedAt);
 *   }
 * });
 */
export type Middleware = (call: StepCall, next: () => Promise<StepOutput>) => Promise<StepOutput>;

// ---- the graph of a built workflow, as the compiler keeps it: one union of short sentences
//
//     "step write" | "starts" | "emits Joke" | "step judge" | "accepts Joke" | "ends"
//
// They are strings, because a union of string literals is the one thing the compiler extends and searches without comparing
// structures.

interface InRole<Role extends string> {
  readonly type: string;
  readonly [eventFacts]: { readonly role: Role };
}

/**
 * Events of the role `event` need both a step that emits them and one that accepts them. Other roles enter or leave the
 * graph.
 */
type InnerType<Event> = Extract<Event, InRole<"event">>["type"];

/** Facts that one step adds. */
export type StepFacts<Name extends string, Accepted, Emitted, Waited, Subclasses> =
  | `step ${Name}`
  | `accepts ${InnerType<Accepted>}`
  | `waits ${InnerType<Waited>}`
  | ([Extract<Accepted, InRole<"start">>] extends [never] ? never : "starts")
  | (Subclasses extends true ? `accepts subclasses of ${InnerType<Accepted>}` : never)
  // Most steps have no fan-out, and pay for one comparison.
  | ([Extract<Emitted, Many>] extends [never] ? EmitFacts<Emitted> : EmitFacts<EventOf<Emitted>> | "fans out");

type EmitFacts<Event> =
  | `emits ${InnerType<Event>}`
  | ([Extract<Event, InRole<"stop">>] extends [never] ? never : "ends")
  | Ancestry<Event>;

/** Facts that a collect step adds. */
export type GatherFacts<On> = On extends Collect
  ? "collects" | (On extends { readonly of: infer Opener extends string } ? `of ${Opener}` : never)
  : never;
/** The same facts, from the payload of a step that is already made. */
export type PayloadFacts<Payload> = Payload extends readonly unknown[] ? "collects" : never;

/** `"PunJoke extends Joke"`, for an event made by `Joke.extend("PunJoke")`. */
type Ancestry<Event> = Event extends WorkflowEvent
  ? `${Event["type"]} extends ${Exclude<Event[typeof eventFacts]["lineage"], Event["type"]>}`
  : never;

/** Sentences about every problem; `never` without problems. */
export type GraphProblem<Graph extends string> =
  | NotAccepted<Graph, Graph>
  | NotEmitted<Graph, Graph>
  | ("collects" extends Graph ? FanOutProblem<Graph> : never)
  | ("starts" extends Graph ? never : "No step accepts a StartEvent: the workflow cannot begin.")
  | ("ends" extends Graph ? never : "No step emits a StopEvent: the workflow cannot end.");

type NotAccepted<Fact, Graph> = Fact extends `emits ${infer Type}`
  ? `accepts ${Type}` extends Graph
    ? never
    : `waits ${Type}` extends Graph
      ? never
      : AcceptedAsSubclass<Type, Graph> extends [never]
        ? `No step accepts ${Type}, which a step emits.`
        : never
  : Fact extends `of ${infer Opener}`
    ? `step ${Opener}` extends Graph
      ? never
      : `A collect names the fan-out of ${Opener}: there is no such step.`
    : never;

type NotEmitted<Fact, Graph> = Fact extends `${"accepts" | "waits"} ${infer Type}`
  ? `emits ${Type}` extends Graph
    ? never
    : [Extract<Graph, `${string} extends ${Type}`>] extends [never]
      ? Type extends `subclasses of ${string}`
        ? never
        : `No step emits ${Type}, which a step accepts.`
      : never
  : never;

/**
 * Ancestors of an event that some step accepts with `subclasses: true`. Only evaluated for an event that no step
 * accepts directly.
 */
type AcceptedAsSubclass<Type extends string, Graph> = [
  Extract<Graph, `${Type} extends ${string}`> extends `${Type} extends ${infer Ancestor}`
    ? Extract<Graph, `accepts subclasses of ${Ancestor}`>
    : never,
];

/** Whether the collect comes after the fan-out is checked at construction, because it needs a walk. */
type FanOutProblem<Graph> = "fans out" extends Graph
  ? never
  : "A step collects a fan-out, and there is none: no step emits many(…).";
