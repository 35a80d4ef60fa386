import { copyJson, toPlain } from "@millrace/pipeline/executor";
import type { SessionState } from "../run-context.types.js";

/**
 * A copy of a state that shares nothing with it.
 *
 * @throws {WorkflowError} `STATE_UNSTORABLE` for what would come back from a store as something else.
 */
export function plainState(state: SessionState): SessionState {
  return copyJson(toPlain(state, [])) as SessionState;
}
