/**
 * The routing table of a workflow as plain data: all that `reduce` has of the code.
 *
 * Event classes are named by their types; for a step that accepts subclasses, their types are listed.
 *
 * @module
 */

import type { EventRole } from "../event/event.js";

export interface Definition {
  readonly workflow: string;
  readonly steps: readonly StepDefinition[];
  /** Number of events that a run keeps until a step takes them. */
  readonly inboxSize: number;
  /** Roles of all registered event types. */
  readonly roles: { readonly [type: string]: EventRole };
}

export interface StepDefinition {
  readonly name: string;
  readonly trigger: TriggerDefinition;
  /** Number of its work items that run at once. */
  readonly workers: number;
  /** Types of the events that it returns, yields or sends, alone or as elements of its fan-out. */
  readonly emits: readonly string[];
  /** `null` for a step that returns one event or nothing. */
  readonly fanOut: FanOut | null;
  /** Types of the events that it takes with `waitForEvent`. */
  readonly waits: readonly string[];
  /** Types of the events that it only shows to readers of the stream. */
  readonly streams: readonly string[];
}

/** Fan-out of a step that emits `many(…)`. It has the name of the step. */
export interface FanOut {
  /** Event types of its elements. */
  readonly elements: readonly string[];
  /** Event types that the step also emits alone. A type may be in both lists. */
  readonly alone: readonly string[];
  /** Collect steps that fire when the fan-out closes: exactly once each, with any number of arrivals. */
  readonly collects: readonly string[];
  /** Joins by a field that pair the events arising in it. */
  readonly joins: readonly string[];
}

export type TriggerDefinition = EventTrigger | CollectTrigger | JoinTrigger | FailureTrigger;

/** Fires for each event. */
export interface EventTrigger {
  readonly kind: "event";
  readonly accepts: readonly string[];
}

/** Fires once per batch. */
export interface CollectTrigger {
  readonly kind: "collect";
  readonly accepts: readonly string[];
  /** Step whose fan-out is gathered; `null` for the innermost one in which the events arise. */
  readonly of: string | null;
  readonly take: number | null;
  readonly rest: "finish" | "cancel";
  readonly order: "emitted" | "arrived";
  readonly settle: boolean;
}

/** Fires once per complete set. */
export interface JoinTrigger {
  readonly kind: "join";
  readonly slots: readonly JoinSlot[];
  /**
   * Field by which events are paired, over the innermost fan-out that contains all slots; `null` to pair within one
   * element.
   */
  readonly by: string | null;
}

export interface JoinSlot {
  readonly name: string;
  readonly accepts: readonly string[];
}

/** Fires when a step has used up its retries. */
export interface FailureTrigger {
  readonly kind: "failure";
  /** Names of the covered steps; `null` for all that no other handler covers. */
  readonly steps: readonly string[] | null;
  readonly maxRecoveries: number;
}

/**
 * Size limits of a run. What exceeds a limit is refused where it arises, with the same numbers as in the reader of
 * snapshots: everything that was written can be loaded.
 *
 * @module
 */
export interface RunLimits {
  /** Elements of one fan-out. */
  readonly elements: number;
  /** Nesting depth of runs, without the outermost. Each run takes two levels of a snapshot; readers take far more than that. */
  readonly nestedRuns: number;
}

export const runLimits: RunLimits = { elements: 10_000_000, nestedRuns: 200 };

// ---- problems that checks find in the definition of a workflow

/** A problem of a workflow. */
export interface Finding {
  /** The check that has found it; or the error code, such as `RESOURCE_FAILED`, when the mistake has its own code. */
  readonly check: string;
  readonly step?: string;
  readonly event?: string;
  readonly message: string;
  readonly hint: string;
}

/** Reports a problem of a step. @param message To be read after the name of the step. */
export type Report = (check: string, message: string, hint: string) => void;
