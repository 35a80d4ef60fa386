/**
 * Events that the engine creates.
 *
 * @module
 */
import {
  makeEngineEvent,
  PiecesEvent,
  StepFailedEvent,
  StepRestartedEvent,
  WorkflowCancelledEvent,
  WorkflowFailedEvent,
  WorkflowTimedOutEvent,
} from "../../event/built-in-events.js";
import type { WrittenPieces } from "../../value/pieces.js";
import { optionalModules } from "../optional-modules.js";
import type { EventData, Failure, Outcome, WorkItem } from "../state.js";

export function stepFailed(failure: Failure): EventData {
  return makeEngineEvent(StepFailedEvent, storedFailure(failure) as never);
}

/** Announces to readers that the step streams again what it has streamed earlier, except inside of calls that are not repeated. */
export function stepRestarted({ step, id, attempt, calls }: WorkItem): EventData {
  const kept: string[] = [];
  for (const [call, record] of calls ?? []) if ("hasShown" in record) kept.push(call);
  return makeEngineEvent(StepRestartedEvent, { step, item: id, attempt, ...(kept.length > 0 && { kept }) } as never);
}

/** All that a call has written, which is recorded: the store then forgets its other events of pieces. */
export function allWritten(call: string, { attempt, pieces }: Pick<WrittenPieces, "attempt" | "pieces">): EventData {
  return makeEngineEvent(PiecesEvent, { call, attempt, at: 0, pieces, isAll: true });
}

/** Contains the input as the step got it. */
export function storedFailure({
  shape,
  input,
  ...failure
}: Failure): Omit<Failure, "shape" | "input"> & { readonly input: unknown } {
  return {
    ...failure,
    input: shape === undefined ? (input[0] ?? null) : optionalModules.gathered?.inShape(input, shape),
  };
}

/** The event that ends the stream. */
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
  }
}
