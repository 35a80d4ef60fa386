/**
 * What a fork would keep, what would run again, and the options that make it.
 *
 * @module
 */
import type { ForkOptions, PendingDelivery, RunAttempt, RunMoment } from "@millrace/client";
import { fieldsOf } from "../api/plain-json.js";

export interface ForkPlan {
  /** Attempts that had completed. */
  readonly kept: number;
  readonly again: readonly { readonly step: string; readonly items: number; readonly of: number }[];
  /** Items that are delivered next. */
  readonly next: readonly NextItem[];
}

export interface NextItem {
  readonly item: number;
  readonly step: string;
  readonly eventType: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Why its event cannot be another one; `null` where it can. */
  readonly refusal: string | null;
}

interface ForkFacts {
  readonly runId: string;
  readonly attempts: readonly RunAttempt[];
  readonly moment: Pick<RunMoment, "number" | "steps" | "next">;
}

/** Why the run cannot be forked there; `null` where it can, or while it is not known. */
export function forkRefusal(moment: Pick<RunMoment, "status"> | null | undefined): string | null {
  if (moment == null || moment.status === "running") return null;
  return "The run had ended at this tick: there is nothing to continue. Go to an earlier tick.";
}

export function forkPlan({ runId, attempts, moment }: ForkFacts): ForkPlan {
  const { number: at, steps, next } = moment;
  const kept = attempts.filter(
    ({ endedTick, status, ...attempt }) =>
      attempt.runId === runId && status === "completed" && endedTick !== null && endedTick <= at,
  );
  const again = steps.map(({ step, queued, running, waiting, retrying, done, failed, caught }) => {
    const items = queued + running + waiting + retrying;
    return { step, items, of: items + done + failed + caught };
  });
  return { kept: kept.length, again: again.filter(({ items }) => items > 0), next: next.map(nextItem) };
}

function nextItem({ item, step, event, isEditable, reason }: PendingDelivery): NextItem {
  const refusal = isEditable ? null : (reason ?? "The server does not take another one.");
  return { item, step, eventType: event.type, fields: fieldsOf(event), refusal };
}

type Fields = Readonly<Record<string, unknown>>;

export interface ForkEdits {
  readonly at: number;
  readonly handlerId: string;
  readonly state: Fields;
  readonly event: Fields;
  /** The item whose event is edited, where there are several. */
  readonly item: number | null;
}

export function forkOptions({ at, handlerId, state, event, item }: ForkEdits): ForkOptions {
  const hasEvent = Object.keys(event).length > 0;
  return {
    at,
    ...(handlerId !== "" && { handlerId }),
    ...(Object.keys(state).length > 0 && { state }),
    ...(hasEvent && { event }),
    ...(hasEvent && item !== null && { item }),
  };
}

/** The texts of fields as values; a field whose text is the one it had is left out. */
export function readEdits(
  texts: ReadonlyMap<string, string>,
  before: Fields,
): { edits: Fields; broken: readonly string[] } {
  const edits: Record<string, unknown> = {};
  const broken: string[] = [];
  for (const [name, text] of texts) {
    try {
      const value: unknown = JSON.parse(text);
      if (JSON.stringify(value) !== JSON.stringify(before[name])) edits[name] = value;
    } catch {
      broken.push(name); // shown at the field, which stays as it was typed
    }
  }
  return { edits, broken };
}
