/** Refusals that a run has in memory and in a runtime. */
import { WorkflowError } from "./workflow-error.js";

/** The run that was named, with what else a program may want to know. */
interface RunFacts {
  readonly runId: string;
  readonly [fact: string]: unknown;
}

/** @param what To be read after the name of the run. */
export function runLive(details: RunFacts, hint: string, what = "is under way"): WorkflowError {
  return new WorkflowError({ code: "RUN_LIVE", message: `Run "${details.runId}" ${what}.`, hint, details });
}

export function cannotResume(
  { runId, status }: { readonly runId: string; readonly status: string },
  how: "resume" | "retry",
  startAnew = "Start a new run",
): WorkflowError {
  const isResume = how === "resume";
  return new WorkflowError({
    code: isResume ? "RUN_FINISHED" : "RUN_NOT_RETRYABLE",
    message: `Run "${runId}" is ${status}; it cannot be ${isResume ? "resumed" : "retried"}.`,
    hint: isResume ? `${startAnew}, or \`retry\` a failed one.` : "Only failed and timed-out runs can be retried.",
    details: { runId, status },
  });
}
