/** Work that a host does for a step, as a call of the step. */

import { CallPromise } from "../../state/edit-context.js";
import type { AttemptCore } from "../run.types.js";
import { callsOf } from "./calls.js";
import { refuseCall, rejectCall } from "./forgotten-calls.js";
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

/** Contexts that stand for the context of a step, such as those of executors, by what was made of them. */
const originals = new WeakMap<object, object>();

/** Notes that functions which need the context of a step itself may take this one for it. */
export function noteOriginal(context: object, original: object): void {
  originals.set(context, original);
}

function originalOf(context: object): object {
  const original = originals.get(context);
  return original === undefined ? context : originalOf(original);
}
