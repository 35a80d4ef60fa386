import { WorkflowError } from "millrace";
import type { PipelineRunError, PipelineRunOutput } from "./run-output.types.js";

/** What whoever awaits a run gets that has failed. */
export function pipelineFailed({ runId, pipelineName, error }: PipelineRunOutput): WorkflowError {
  return new WorkflowError({
    code: "PIPELINE_FAILED",
    message: `Run "${runId}" of the pipeline "${pipelineName}" has failed${error?.stepName ? ` in the step "${error.stepName}"` : ""}: ${error?.message}`,
    hint: '`await run.output()` gives what was done before; a step with `onError: "skip"` lets the run go on.',
    details: { runId, stepName: error?.stepName ?? null },
    ...(error !== null && { cause: Object.assign(new Error(error.message), causeFields(error)) }),
  });
}

/** The error of the step as far as it is stored: in every process the same. */
function causeFields({ name, code, retryable }: PipelineRunError): object {
  return { name, ...(code !== null && { code }), ...(retryable !== null && { retryable }) };
}
