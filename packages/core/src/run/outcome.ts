/** Ends of runs, as their callers see them. */

import type { RunOutcome } from "../authoring/handler.types.js";
import type { Outcome } from "../engine/state.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { StopEvent } from "../event/built-in-events.js";
import { classOf, isEvent } from "../event/event.js";
import { recordError, reviveError } from "../value/error-record.js";

/** The error that awaiting the handler throws. In the process of the step, it is the error that the step threw. */
export function outcomeError(runId: string, outcome: Outcome): unknown {
  switch (outcome.status) {
    case "failed":
      return reviveError(outcome.failure.error);
    case "timedOut":
      return timedOut(runId, outcome);
    default:
      return cancelled(runId, outcome.status === "cancelled" ? outcome.reason : null);
  }
}

/** The result of a run: `result` of a plain stop event, otherwise the stop event itself. */
export function resultOfStop(event: unknown): unknown {
  return isEvent(event) && classOf(event) === StopEvent ? (event as StopEvent).result : event;
}

/** Returns what `idle()` returns for a run that has ended. */
export function runOutcome(runId: string, outcome: Outcome): RunOutcome {
  switch (outcome.status) {
    case "completed":
      return { status: "completed", result: resultOfStop(outcome.event) };
    case "failed":
      return { status: "failed", error: outcomeError(runId, outcome) };
    case "cancelled":
      return { status: "cancelled", reason: outcome.reason };
    case "timedOut":
      return { status: "timedOut", timeoutMs: outcome.timeoutMs };
  }
}

function timedOut(
  runId: string,
  { timeoutMs, activeSteps, deadlineMs }: Extract<Outcome, { readonly status: "timedOut" }>,
): WorkflowError {
  const what =
    deadlineMs === undefined
      ? `has used up its ${timeoutMs} ms`
      : `was not done at its deadline, ${new Date(deadlineMs).toISOString()}`;
  return new WorkflowError({
    code: "RUN_TIMED_OUT",
    message: `Run "${runId}" ${what}. ${activeSteps.length > 0 ? `At work were: ${activeSteps.join(", ")}.` : "No step was at work."}`,
    hint: "Raise `timeout` or `deadline`, or continue with `workflow.retry(context)`.",
    details: { runId, timeoutMs, activeSteps, ...(deadlineMs !== undefined && { deadlineMs }) },
  });
}

function cancelled(runId: string, reason: unknown): WorkflowError {
  return new WorkflowError({
    code: "RUN_CANCELLED",
    message: `Run "${runId}" was cancelled${reason === undefined || reason === null ? "" : `: ${recordError(reason).message}`}.`,
    hint: "Its work is kept: `workflow.resume(context)` continues it.",
    details: { runId, reason },
  });
}
