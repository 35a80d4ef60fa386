/** What work items get as input. */
import { optionalModules } from "../engine/optional-modules.js";
import type { RunState, StepInput } from "../engine/state.js";
import type { WorkflowEvent } from "../event/event.js";
import type { PendingDelivery } from "./fork.types.js";

/** The events of an input, one or many. */
export function eventsOf(input: StepInput): readonly WorkflowEvent[] {
  const events = input.kind === "event" ? [input.event] : (optionalModules.gathered?.eventsOf(input) ?? []);
  return events as readonly WorkflowEvent[];
}

/** Only for a run that has not ended: no other run can be forked. */
export function pendingDeliveries(state: RunState): PendingDelivery[] {
  if (state.status !== "running") return [];
  return [...state.items.values()].flatMap(({ id, step, input, calls }) =>
    input.kind === "event" && (calls === null || calls.size === 0)
      ? [{ item: id, step, event: input.event as WorkflowEvent }]
      : [],
  );
}
