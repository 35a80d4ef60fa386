/**
 * The graph of a built workflow, as the compiler keeps it: one union of short sentences.
 *
 *     "step write" | "starts" | "emits Joke" | "step judge" | "accepts Joke" | "ends"
 *
 * Strings, because a union of string literals is the one thing the compiler extends and searches without comparing
 * structures.
 *
 * @internal
 * @module
 */
import type { eventFacts, WorkflowEvent } from "../event/event.js";
import type { EventOf, Many } from "./step-return.types.js";
import type { Collect } from "./trigger.types.js";

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
