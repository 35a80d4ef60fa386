/** What a host does for a step, as a call of the step. */
import { CallPromise } from "../../state/call-promise.js";
import type { AttemptCore } from "../run.types.js";
import { callsOf } from "./calls.js";
import { refuseCall, rejectCall } from "./forgotten-calls.js";
import { originalOf } from "./original-context.js";
import { StepContext } from "./step-context.js";

/** The attempt that a context belongs to; `null` for a context of no step. */
export function attemptOf(ctx: object): AttemptCore | null {
  return StepContext.attemptOf(originalOf(ctx));
}

/**
 * A step that forgets to await the call does not end before it, and fails with its error.
 *
 * @param check Throws if the arguments are wrong.
 */
export function hostCall<Value>(attempt: AttemptCore, check: () => void, work: () => Promise<Value>): Promise<Value> {
  try {
    attempt.assertAlive();
    check();
  } catch (error) {
    return refuseCall(attempt, error);
  }
  const calls = callsOf(attempt);
  const call = new CallPromise<Value>((resolve, reject) => {
    work().then(
      (value) => {
        calls.over(call);
        resolve(value);
      },
      (error: unknown) => {
        calls.over(call);
        rejectCall(attempt, { call, error }, reject);
      },
    );
  });
  calls.begin(call, { isResting: false, promise: call });
  return call;
}
