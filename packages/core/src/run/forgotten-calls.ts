/**
 * Calls of an attempt that are at work when its step returns or throws: a forgotten `await` loses none.
 *
 * Writes, effects and `collectEvents` are finished before the attempt ends. A call that failed, and that nobody took, fails the
 * step. Waits, sleeps and children are given up: that is how a race ends.
 *
 * @module
 */
import type { Log } from "../engine/ports.js";
import { CallPromise, type FailedCall } from "../state/call-promise.js";
import { Calls } from "./calls.js";
import { afterHops } from "./hops.js";
import type { AttemptCore } from "./run.types.js";
import { nextTurn } from "./system.js";

// Here, because a run that waits pays for every field of its attempts.
const effects = new WeakMap<AttemptCore, Set<Promise<unknown>>>();
const failures = new WeakMap<AttemptCore, FailedCall[]>();

/** Keeps in mind how a call has failed, in case that nobody takes it. */
export function noteFailure(attempt: AttemptCore, failure: FailedCall): void {
  const { run, step, ended } = attempt;
  if (attempt.hasReturned)
    return tellUntaken(run.host.ports.log, `A call of step "${step.definition.name}" came too late.`, failure);
  if (ended !== null) return; // the step is told by its signal
  attempt.calls ??= new Calls(attempt); // one that makes no call ends at once
  const known = failures.get(attempt);
  if (known) known.push(failure);
  else failures.set(attempt, [failure]);
}

/** A call that is refused. */
export function refuseCall(attempt: AttemptCore, error: unknown): CallPromise<never> {
  const call = new CallPromise<never>((_, reject) => reject(error)).markHandled();
  noteFailure(attempt, { call, error });
  return call;
}

/** The attempt does not end before it. It never settles once its run has left memory: the step will run again. */
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
      },
    );
  });
  return call.markHandled();
}

/** Ended without an outcome of its run. */
function hasLeftMemory({ ended, run }: AttemptCore): boolean {
  return ended !== null && run.hasLeft;
}

/** Whether the attempt can end at once: always so for a step that has written nothing. */
export function hasFinished(attempt: AttemptCore): boolean {
  const { run, calls } = attempt;
  if (calls === null) return true;
  if (run.hasStore()?.hasWritten(attempt) === true || calls.isCollecting) return false;
  return !effects.has(attempt) && !failures.has(attempt);
}

/** Calls back once nothing is at work any more: with the first failure that nobody took, or null. */
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

/** Nobody else would hear of it. */
export function tellUntaken(log: Log, what: string, { call, error }: FailedCall): void {
  nextTurn(() => {
    if (!call.isTaken) log.error(what, error);
  });
}
