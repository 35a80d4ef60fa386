/**
 * Waits, sleeps and children with a `signal`: when it aborts, the engine closes the call, and the call rejects with the
 * reason of the signal once that is stored.
 *
 * @module
 */
import { markHandled } from "../../system/deferred.js";
import { recordError } from "../../value/error-record.js";
import type { AttemptCore } from "../run.types.js";
import { callsOf } from "./calls.js";

interface Closable {
  readonly call: string;
  readonly answer: Promise<unknown>;
  readonly signal: AbortSignal;
}

/**
 * The open calls of each race, by its signal. A call that has lost is answered when the signal aborts, as it was in the first
 * attempt: before, it would seem to have settled first.
 */
export const raceCalls: WeakMap<AbortSignal, Set<Promise<unknown>>> = new WeakMap();

/** A call whose signal has aborted before: nothing is opened. */
export function notOpened(signal: AbortSignal): Promise<never> {
  return markHandled(Promise.reject(signal.reason));
}

/** The answer of a call that the signal closes. */
export function closable(attempt: AttemptCore, { call, answer, signal }: Closable): Promise<unknown> {
  const calls = callsOf(attempt);
  const close = (): void => {
    if (attempt.ended !== null || !calls.isAwaited(call)) return;
    const { run, item, number } = attempt;
    calls.noteClosing(call);
    const reason = recordError(signal.reason);
    run.submit({ type: "call.closed", atMs: run.now(), item: item.id, attempt: number, call, reason });
  };
  // Not at once: the call is opened first.
  if (signal.aborted) queueMicrotask(close);
  else signal.addEventListener("abort", close, { once: true });
  const settled = answer.then(
    (value) => {
      signal.removeEventListener("abort", close);
      return value;
    },
    (error: unknown) => {
      signal.removeEventListener("abort", close);
      if (!calls.isClosed(call)) throw error;
      if (raceCalls.has(signal) && !signal.aborted) return aborted(signal);
      throw signal.aborted ? signal.reason : error;
    },
  );
  raceCalls.get(signal)?.add(settled);
  return markHandled(settled);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
