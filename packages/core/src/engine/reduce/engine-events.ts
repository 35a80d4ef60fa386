/**
 * The events that the engine itself makes.
 *
 * @module
 */

import { assertNever } from "../../errors/invariant.js";
import {
  JoinIncompleteEvent,
  makeEngineEvent,
  StepFailedEvent,
  StepRestartedEvent,
  WorkflowCancelledEvent,
  WorkflowFailedEvent,
  WorkflowTimedOutEvent,
} from "../../event/built-in-events.js";
import type { EventData, Failure, Outcome, WorkItem } from "../state.js";

export function stepFailed(failure: Failure): EventData {
  return makeEngineEvent(StepFailedEvent, storedFailure(failure) as never);
}

export function joinIncomplete(step: string, missing: readonly string[], events: readonly EventData[]): EventData {
  return makeEngineEvent(JoinIncompleteEvent, { step, missing, events } as never);
}

/** Readers see that what this step streams from here on may repeat what they have seen. */
export function stepRestarted({ step, id, attempt }: WorkItem): EventData {
  return makeEngineEvent(StepRestartedEvent, { step, item: id, attempt } as never);
}

/** Of a batch or set, the event names the first member. */
function storedFailure(failure: Failure) {
  return { ...failure, input: failure.input[0] ?? null };
}

/** What ends the stream. */
export function terminalEvent(outcome: Outcome): EventData {
  switch (outcome.status) {
    case "completed":
      return outcome.event;
    case "failed":
      return makeEngineEvent(WorkflowFailedEvent, storedFailure(outcome.failure) as never);
    case "cancelled":
      return makeEngineEvent(WorkflowCancelledEvent, { reason: outcome.reason } as never);
    case "timedOut":
      return makeEngineEvent(WorkflowTimedOutEvent, {
        timeoutMs: outcome.timeoutMs,
        activeSteps: outcome.activeSteps,
      } as never);
    default:
      return assertNever(outcome);
  }
}
