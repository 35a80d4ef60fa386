import type { ErrorCode } from "../../errors/catalog.js";
import { WorkflowError } from "../../errors/workflow-error.js";

export interface NamedStep {
  readonly definition: { readonly name: string };
}

interface StepFault {
  readonly code: ErrorCode;
  /** To be read after the name of the step, without a full stop. */
  readonly what: string;
  readonly hint: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An error that is about a step: its message begins with the step, and its details name it. */
export function stepError({ definition: { name } }: NamedStep, fault: StepFault): WorkflowError {
  const { code, what, hint, details } = fault;
  return new WorkflowError({ code, message: `Step "${name}" ${what}.`, hint, details: { step: name, ...details } });
}

export function invalidResult(step: NamedStep, what: string, hint: string): WorkflowError {
  return stepError(step, { code: "STEP_RESULT_INVALID", what, hint });
}
