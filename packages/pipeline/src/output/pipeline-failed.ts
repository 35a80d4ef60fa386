import { WorkflowError } from "millrace";
import { errorFrom } from "millrace/engine";
import type { PipelineRunError, StoredEnd } from "../state/pipeline-state.types.js";
import type { PipelineRunOutput } from "./run-output.types.js";

/** The error that awaiting a failed run throws. */
export function pipelineFailed({ runId, pipelineName, error }: PipelineRunOutput): WorkflowError {
  return new WorkflowError({
    code: "PIPELINE_FAILED",
    message: `Run "${runId}" of the pipeline "${pipelineName}" has failed${error?.stepName ? ` in the step "${error.stepName}"` : ""}: ${error?.message}`,
    hint: "`run.output()` returns the results so far, `retryRun` runs the step again, `onError` may skip it.",
    details: { runId, stepName: error?.stepName ?? null },
    ...(error !== null && { cause: causeOf(error) }),
  });
}

/** The stored output of a failed or cancelled run; `null` for any other. */
export function storedOutput({ end }: { readonly end?: StoredEnd }): PipelineRunOutput | null {
  return end === undefined ? null : (end.output as PipelineRunOutput);
}

/** The error of the step, equal in every process. Runs of earlier versions have stored neither its details nor its causes. */
function causeOf({ stepName: _, code, retryable, ...stored }: PipelineRunError): Error {
  const error = errorFrom({ ...stored, ...(code !== null && { code }) });
  return retryable === null ? error : Object.assign(error, { retryable });
}
