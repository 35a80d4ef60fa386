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
  /** Event types that it returns, yields or sends, alone or as elements of its fan-out. */
  readonly emits: readonly string[];
  /** Null: it returns one event or nothing. */
  readonly fanOut: FanOut | null;
  /** Event types that it takes with `waitForEvent`. */
  readonly waits: readonly string[];
  /** Event types that it only shows to stream readers. */
  readonly streams: readonly string[];
}

/** What a step opens that emits `many(…)`. It has the name of the step. */
export interface FanOut {
  /** Event types of its elements. */
  readonly elements: readonly string[];
  /** Event types that the step also emits alone. One type can be both. */
  readonly alone: readonly string[];
  /** Collect steps that fire when it closes: exactly once each, whatever has arrived. */
  readonly collects: readonly string[];
  /** Joins by a field that pair what arises in it. */
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
  /** The step whose fan-out it gathers. Null: the innermost one in which its events arise. */
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
  /** Pairs by this field over the innermost fan-out that holds all slots, instead of within one element. */
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

/**
 * A stored definition with what those of before fan-outs were declared could not say: taken from the code that is here now.
 *
 * @param current Of the same workflow.
 */
export function completeDefinition(stored: Definition, current: Definition | undefined): Definition {
  if (stored.steps.every((step) => step.fanOut !== undefined)) return stored;
  const known = new Map(current?.steps.map((step) => [step.name, step]));
  return {
    ...stored,
    steps: stored.steps.map((step) => ({ ...step, fanOut: step.fanOut ?? known.get(step.name)?.fanOut ?? null })),
  };
}
