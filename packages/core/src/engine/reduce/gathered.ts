/**
 * Inputs with several events: the batch of a collect step, the set of a join.
 *
 * @module
 */
import { reviveError } from "../../value/error-record.js";
import { type GatheredFeature, type GatheredInput, optionalModules } from "../optional-modules.js";
import type { Route } from "../routing.js";
import type { EventData, Failure, PendingEvent, Recoveries, StepInput } from "../state.js";
import { storedFailure } from "./engine-events.js";
import type { Reduction } from "./reduction.js";

export const gathering: GatheredFeature = { offer, eventsOf, argumentOf, shapeOf, inShape };

function offer(reduction: Reduction, { collects, joins }: Route, pendingEvent: PendingEvent): boolean {
  const { step: only } = pendingEvent;
  let taken = false;
  for (const step of collects)
    if ((only === null || only === step.name) && optionalModules.collect?.gather(reduction, step, pendingEvent))
      taken = true;
  for (const step of joins) {
    if (only !== null && only !== step.name) continue;
    optionalModules.join?.arrive(reduction, step, pendingEvent);
    taken = true;
  }
  return taken;
}

function eventsOf(input: GatheredInput): readonly EventData[] {
  switch (input.kind) {
    case "batch":
      return input.members;
    case "settled":
      return input.members.flatMap((member) => (member.status === "ok" ? [member.event] : []));
    case "set":
      return Object.values(input.slots);
  }
}

/** A copy for each attempt, which may sort it or take from it. */
function argumentOf(input: GatheredInput): unknown {
  switch (input.kind) {
    case "batch":
      return [...input.members];
    case "settled":
      return input.members.map((member) => ({
        ...member,
        ...(member.status === "failed" && { failure: toStepFailure(member.failure) }),
      }));
    case "set":
      return { ...input.slots };
  }
}

function toStepFailure(failure: Failure) {
  return { ...storedFailure(failure), error: reviveError(failure.error) };
}

/** A batch or a set has, of each handler, the recoveries of the event that used most of them. */
export function mergeRecoveries(events: readonly Pick<PendingEvent, "recoveries">[]): Recoveries | null {
  let merged: Record<string, number> | null = null;
  for (const { recoveries } of events) {
    if (recoveries === null) continue;
    merged ??= {};
    for (const name in recoveries) merged[name] = Math.max(merged[name] ?? 0, recoveries[name] ?? 0);
  }
  return merged;
}

function shapeOf(input: StepInput): Failure["shape"] {
  if (input.kind === "event") return undefined;
  return input.kind === "set" ? Object.keys(input.slots) : "batch";
}

function inShape(events: readonly EventData[], shape: NonNullable<Failure["shape"]>): unknown {
  if (shape === "batch") return events;
  return Object.fromEntries(shape.map((slot, index) => [slot, events[index] as EventData]));
}
