/** Steps that were at work when their run ended. */
import type { StepOutput } from "./step-output.types.js";

/** Error in the output of an interrupted step. */
export const INTERRUPTED = "Cancelled during execution";

/** An interrupted step has not failed, nor has a group that contains it. */
export function hasFailed({ success, error, steps }: StepOutput): boolean {
  return (!success && error !== INTERRUPTED) || steps.some(hasFailed);
}
