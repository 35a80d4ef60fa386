import { copyJson, toPlain } from "@millrace/pipeline/executor";
import type { SessionState } from "../run-context.types.js";

/**
 * Copies a state deeply.
 *
 * @throws {WorkflowError} `STATE_UNSTORABLE` for values that a store would return as something else.
 */
export function plainState(state: SessionState): SessionState {
  return copyJson(toPlain(state, [])) as SessionState;
}
