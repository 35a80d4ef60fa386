/**
 * Calls that are still running when their step returns or throws: a forgotten `await` loses none of them.
 *
 * Writes, effects and `collectEvents` are finished before the attempt ends. A failed call whose error nobody took fails the step.
 * Waits, sleeps and children are given up: that is how a race ends.
 *
 * @module
 */
import type { Log } from "../../engine/ports.js";
import { CallPromise, type FailedCall } from "../../state/call-promise.js";
import { nextTurn } from "../../system/system.js";
import { afterHops } from "../hops.js";
import type { AttemptCore } from "../run.types.js";
import { callsOf } from "./calls.js";

// A WeakMap, because a waiting run pays for every field of its attempts.
const effects = new WeakMap<AttemptCore, Set<Promise<unknown>>>();
const failures = new WeakMap<AttemptCore, FailedCall[]>();

/** Remembers the error of a call, in case nobody takes it. */
export function noteFailure(attempt: AttemptCore, failure: FailedCall): void {
  const { run, step, ended } = attempt;
  if (attempt.hasReturned)
    return tellUntaken(run.host.ports.log, `A call of step "${step.definition.name}" came too late.`, failure);
  if (ended !== null) return; // the signal tells the step
  callsOf(attempt); // one that makes no call ends at once
  const known = failures.get(attempt);
  if (known) known.push(failure);
  else failures.set(attempt, [failure]);
}

/** The promise of a refused call. */
export function refuseCall(attempt: AttemptCore, error: unknown): CallPromise<never> {
  const call = new CallPromise<never>((_, reject) => reject(error)).markHandled();
  noteFailure(attempt, { call, error });
  return call;
}

/**
 * The attempt does not end before this effect. The promise never settles once the run has left memory: the step will run again.
 */
export function watchEffect<Value>(attempt: AttemptCore, effect: Promise<Value>): CallPromise<Value> {
  const atWork = effects.get(attempt) ?? new Set();
  effects.set(attempt, atWork.add(effect));
  const call = new CallPromise<Value>((resolve, reject) => {
    effect.then(
      (value) => {
        atWork.delete(effect);
        resolve(value);
      },
      (error: unknown) => {
        atWork.delete(effect);
        if (hasLeftMemory(attempt)) return;
        noteFailure(attempt, { call, error });
        reject(error);
        attempt.run.checkIdleAgain();
      },
    );
  });
  return call.markHandled();
}

/** Tells whether the attempt ended because its run left memory. */
function hasLeftMemory({ ended, run }: AttemptCore): boolean {
  return ended !== null && run.hasLeft;
}

/** Tells whether the attempt can end at once: always so for a step that has written nothing. */
export function hasFinished(attempt: AttemptCore): boolean {
  const { run, calls } = attempt;
  if (calls === null) return true;
  if (run.hasStore()?.hasWritten(attempt) === true || calls.isCollecting) return false;
  return !effects.has(attempt) && !failures.has(attempt);
}

/** Calls back once no call is running: with the first failure that nobody took, or `null`. */
export function finishCalls(attempt: AttemptCore, done: (failure: FailedCall | null) => void): void {
  afterHops(() => {
    if (!isAtWork(attempt)) return done(failures.get(attempt)?.find(({ call }) => !call.isTaken) ?? null);
    void Promise.allSettled(workOf(attempt)).then(() => nextTurn(() => finishCalls(attempt, done)));
  });
}

export function isAtWork(attempt: AttemptCore): boolean {
  const { run, calls, ended } = attempt;
  if (ended !== null) return false;
  if (run.hasStore()?.isWriting(attempt) === true || calls?.isCollecting === true) return true;
  return (effects.get(attempt)?.size ?? 0) > 0;
}

function workOf(attempt: AttemptCore): readonly unknown[] {
  const { run, calls } = attempt;
  return [run.hasStore()?.whenWritten(attempt), ...(effects.get(attempt) ?? []), ...(calls?.collecting() ?? [])];
}

/** Logs a failure that nobody else would hear of. */
export function tellUntaken(log: Log, what: string, { call, error }: FailedCall): void {
  nextTurn(() => {
    if (!call.isTaken) log.error(what, error);
  });
}
