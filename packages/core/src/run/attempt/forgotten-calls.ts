/**
 * Calls that are still running when their step returns or throws: a forgotten `await` loses none of them.
 *
 * Writes, effects and `collectEvents` are finished before the attempt ends. A failed call whose error was not handled fails the step.
 * Waits, sleeps and children are abandoned; this is how a race ends.
 *
 * @module
 */
import type { Log } from "../../engine/ports.js";
import { CallPromise, type FailedCall } from "../../state/edit-context.js";
import { afterMicrotasks } from "../../system/deferred.js";
import { nextTurn } from "../../system/system.js";
import type { AttemptCore } from "../live-run.js";
import { callsOf } from "./calls.js";

/** Remembers the error of a call, in case it is not handled. */
export function noteFailure(attempt: AttemptCore, failure: FailedCall): void {
  const { run, step, ended } = attempt;
  if (attempt.hasReturned)
    return logUnhandledCall(run.host.ports.log, `A call of step "${step.definition.name}" came too late.`, failure);
  if (ended !== null) return; // the signal informs the step
  callsOf(attempt); // one that makes no call ends at once
  attempt.failures ??= [];
  attempt.failures.push(failure);
}

/** Makes a call of the attempt, or a refused one. */
export function makeCall<Value>(attempt: AttemptCore, make: () => Promise<Value>): Promise<Value> {
  try {
    attempt.assertAlive();
    return make();
  } catch (error) {
    const call = new CallPromise<never>((_, reject) => reject(error)).markHandled();
    noteFailure(attempt, { call, error });
    return call;
  }
}

/**
 * The call has failed. Its promise never settles once the run has left memory: the step will run again.
 */
export function rejectCall(attempt: AttemptCore, failure: FailedCall, reject: (error: unknown) => void): void {
  const { run, ended } = attempt;
  if (ended !== null && run.isEvicted) return;
  failure.call.markHandled(); // only now: most calls never fail
  noteFailure(attempt, failure);
  reject(failure.error);
  run.checkIdleAgain();
}

/** Returns whether the attempt can end at once: always so for a step that has written nothing. */
export function hasFinished(attempt: AttemptCore): boolean {
  const { run, calls } = attempt;
  if (calls === null) return true;
  if (run.hasStore()?.hasWritten(attempt) === true || calls.isCollecting) return false;
  return calls.atWork === null && attempt.failures === null;
}

/** Calls back once no call is running: with the first unhandled failure, or `null`. */
export function finishCalls(attempt: AttemptCore, done: (failure: FailedCall | null) => void): void {
  afterMicrotasks(() => {
    if (!isUnfinished(attempt)) return done(attempt.failures?.find(({ call }) => !call.isTaken) ?? null);
    void Promise.allSettled(workOf(attempt)).then(() => nextTurn(() => finishCalls(attempt, done)));
  });
}

export function isAtWork(attempt: AttemptCore): boolean {
  return attempt.ended === null && (isWriting(attempt) || hasEffect(attempt, false));
}

/** A step that returns waits for the next attempt of its calls, too; one that has thrown does not. */
function isUnfinished(attempt: AttemptCore): boolean {
  return attempt.ended === null && (isWriting(attempt) || hasEffect(attempt, !attempt.isFailing));
}

function isWriting(attempt: AttemptCore): boolean {
  const { run, calls } = attempt;
  return run.hasStore()?.isWriting(attempt) === true || calls?.isCollecting === true;
}

function hasEffect({ calls }: AttemptCore, withResting: boolean): boolean {
  return withResting ? (calls?.atWork?.size ?? 0) > 0 : calls?.isWorking === true;
}

function workOf(attempt: AttemptCore): readonly unknown[] {
  const { run, calls, isFailing } = attempt;
  const effects = [...(calls?.atWork?.values() ?? [])].filter(({ isResting }) => !isFailing || !isResting);
  const settled = effects.map(({ promise }) => promise.settled());
  return [run.hasStore()?.whenWritten(attempt), ...settled, ...(calls?.collecting() ?? [])];
}

/** Logs a failure that would otherwise be lost. */
export function logUnhandledCall(log: Log, what: string, { call, error }: FailedCall): void {
  nextTurn(() => {
    if (!call.isTaken) log.error(what, error);
  });
}
