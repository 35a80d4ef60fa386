import type { RunHandle } from "millrace/runtime";
import { afterMs, nowMs } from "../system.js";

/**
 * Resolves when the run has ended, when it can continue only with input from outside, or when the time is up. A run
 * that sleeps or waits for a retry is waited for.
 *
 * @param gone Aborts when the result is no longer needed.
 */
export async function settled(handle: RunHandle, waitMs: number, gone?: AbortSignal): Promise<void> {
  const untilMs = nowMs() + waitMs;
  for (;;) {
    const outcome = await before({ untilMs, gone }, (signal) => handle.idle({ signal }));
    if (outcome?.status !== "waiting" || outcome.prompts.length > 0 || outcome.wakeAtMs === null) return;
    if (outcome.wakeAtMs >= untilMs || gone?.aborted) return;
    await timerFired(handle, outcome.wakeAtMs, { untilMs, gone });
  }
}

/** A sleep, a delay or a retry that is due so soon is a part of the work. */
const SHORT_WAIT_MS = 1_000;

/** Resolves when the run has ended or waits for more than a moment, or when the time is up. */
export async function driveUntil(handle: RunHandle, untilMs: number): Promise<void> {
  for (;;) {
    const outcome = await before({ untilMs }, (signal) => handle.idle({ signal }));
    if (outcome?.status !== "waiting" || outcome.prompts.length > 0 || outcome.wakeAtMs === null) return;
    if (outcome.wakeAtMs > Math.min(untilMs, nowMs() + SHORT_WAIT_MS)) return;
    await timerFired(handle, outcome.wakeAtMs, { untilMs });
  }
}

/** Waits a little longer than until then. Whatever the run does next ends the loop of the caller sooner or later. */
async function timerFired(handle: RunHandle, wakeAtMs: number, { untilMs, gone }: Patience): Promise<void> {
  const dueMs = Math.min(untilMs, Math.max(wakeAtMs, nowMs()) + 10);
  await before({ untilMs: dueMs, gone }, (signal) => ended(handle, signal));
}

/** Reads the rest of the stream, which ends with the run. */
async function ended(handle: RunHandle, signal: AbortSignal): Promise<void> {
  const { lastEvent } = await handle.summary();
  for await (const _ of handle.streamEvents({ after: lastEvent, signal })) {
    // The error is for readers of the stream.
  }
}

interface Patience {
  readonly untilMs: number;
  readonly gone?: AbortSignal | undefined;
}

/**
 * Returns `undefined` when the time is up or the client has left. The work is then aborted: a run may take days, and
 * repeated requests must not each leave a watcher behind.
 */
function before<Value>(
  { untilMs, gone }: Patience,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | undefined> {
  if (gone?.aborted) return Promise.resolve(undefined);
  const calledOff = new AbortController();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancelTimer();
      gone?.removeEventListener("abort", giveUp);
    };
    const giveUp = (): void => {
      stop();
      resolve(undefined);
      calledOff.abort();
    };
    const cancelTimer = afterMs(untilMs - nowMs(), giveUp);
    gone?.addEventListener("abort", giveUp);
    work(calledOff.signal).then(resolve, reject).then(stop);
  });
}
