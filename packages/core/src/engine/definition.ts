/**
 * The routing table of a workflow as plain data: all that `reduce` knows about the code.
 *
 * Event types stand for event classes; where a step takes subclasses, they are listed.
 *
 * @module
 */

import type { EventRole } from "../event/event.js";

export interface Definition {
  readonly workflow: string;
  readonly steps: readonly StepDefinition[];
  /** How many events a run keeps that nobody takes yet. */
  readonly inboxSize: number;
  /** The role of every registered event type. */
  readonly roles: { readonly [type: string]: EventRole };
}

export interface StepDefinition {
  readonly name: string;
  readonly trigger: TriggerDefinition;
  /** How many of its work items run at once. */
  readonly workers: number;
  /** Event types that it returns, yields or sends. */
  readonly emits: readonly string[];
  /** Event types that it takes with `waitForEvent`. */
  readonly waits: readonly string[];
  /** Event types that it only shows to stream readers. */
  readonly streams: readonly string[];
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
  readonly take: number | null;
  readonly rest: "finish" | "cancel";
  readonly order: "emitted" | "arrived";
  readonly settle: boolean;
}

/** Fires once per complete set. */
export interface JoinTrigger {
  readonly kind: "join";
  readonly slots: readonly JoinSlot[];
  /** Pairs by this field over the run, instead of within one element of a fan-out. */
  readonly by: string | null;
}

export interface JoinSlot {
  readonly name: string;
  readonly accepts: readonly string[];
}

/** Fires when a step has used up its retries. */
export interface FailureTrigger {
  readonly kind: "failure";
  /** Names of steps; null covers all that no other handler covers. */
  readonly steps: readonly string[] | null;
  readonly maxRecoveries: number;
}
