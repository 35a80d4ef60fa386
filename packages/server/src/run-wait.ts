import type { RunOutcome } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { afterMs, nowMs } from "./system.js";

/**
 * Resolves when the run has ended, when only somebody outside can bring it on, or when the time is up.
 * A run that sleeps or waits for its next attempt is waited for.
 */
export async function settled(handle: RunHandle, waitMs: number): Promise<void> {
  const untilMs = nowMs() + waitMs;
  for (;;) {
    const outcome = await idleUntil(handle, untilMs);
    if (outcome?.status !== "waiting" || outcome.prompts.length > 0 || outcome.wakeAtMs === null) return;
    if (outcome.wakeAtMs >= untilMs) return;
    // Its timer is due then; what it does in between ends this sooner or later, too.
    const dueMs = Math.min(untilMs, Math.max(outcome.wakeAtMs, nowMs()) + 10);
    await beforeMs(dueMs, (signal) => ended(handle, signal));
  }
}

/** Where the run stands once it has nothing to do. Undefined: the time was up first. */
export function idleUntil(handle: RunHandle, untilMs: number): Promise<RunOutcome | undefined> {
  return beforeMs(untilMs, (signal) => handle.idle({ signal }));
}

/** Everything that it shows from here on; nothing comes after its end. */
async function ended(handle: RunHandle, signal: AbortSignal): Promise<void> {
  const { lastEvent } = await handle.summary();
  for await (const _ of handle.streamEvents({ after: lastEvent, signal })) {
    // Whoever wants to see it reads the stream.
  }
}

/**
 * Undefined: the time was up first. The work is called off then: a run may be at work for days, and whoever asks for it all the
 * time must not leave something behind each time.
 */
async function beforeMs<Value>(
  untilMs: number,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | undefined> {
  const calledOff = new AbortController();
  let callOff = (): void => {};
  const late = new Promise<undefined>((resolve) => {
    callOff = afterMs(untilMs - nowMs(), () => {
      resolve(undefined);
      calledOff.abort();
    });
  });
  try {
    return await Promise.race([work(calledOff.signal), late]);
  } finally {
    callOff();
  }
}
