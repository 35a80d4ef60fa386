import { WorkflowError } from "millrace";
import type { PipelineRunError, StoredEnd } from "../state/pipeline-state.types.js";
import type { PipelineRunOutput } from "./run-output.types.js";

/** The error that awaiting a failed run throws. */
export function pipelineFailed({ runId, pipelineName, error }: PipelineRunOutput): WorkflowError {
  return new WorkflowError({
    code: "PIPELINE_FAILED",
    message: `Run "${runId}" of the pipeline "${pipelineName}" has failed${error?.stepName ? ` in the step "${error.stepName}"` : ""}: ${error?.message}`,
    hint: "`run.output()` returns the results so far, `retryRun` runs the step again, `onError` may skip it.",
    details: { runId, stepName: error?.stepName ?? null },
    ...(error !== null && { cause: Object.assign(new Error(error.message), causeFields(error)) }),
  });
}

/** The stored output of a failed or cancelled run; `null` for any other. */
export function storedOutput({ end }: { readonly end?: StoredEnd }): PipelineRunOutput | null {
  return end === undefined ? null : (end.output as PipelineRunOutput);
}

/** The stored fields of the step's error, which are equal in every process. */
function causeFields({ name, code, retryable }: PipelineRunError): object {
  return { name, ...(code !== null && { code }), ...(retryable !== null && { retryable }) };
}
