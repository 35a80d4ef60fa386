import type { RunHandle } from "millrace/runtime";
import { afterMs, nowMs } from "./system.js";

/**
 * Resolves when the run has ended, when only somebody outside can bring it on, or when the time is up.
 * A run that sleeps or waits for its next attempt is waited for.
 */
export async function settled(handle: RunHandle, waitMs: number): Promise<void> {
  const untilMs = nowMs() + waitMs;
  for (;;) {
    const outcome = await within(handle.idle(), untilMs);
    if (outcome?.status !== "waiting" || outcome.prompts.length > 0 || outcome.wakeAtMs === null) return;
    if (outcome.wakeAtMs >= untilMs) return;
    // Its timer is due then; what it does in between ends this sooner or later, too.
    await within(ended(handle), Math.min(untilMs, Math.max(outcome.wakeAtMs, nowMs()) + 10));
  }
}

async function ended(handle: RunHandle): Promise<void> {
  await handle.then(
    () => {},
    () => {},
  );
}

/** Undefined: the time was up first. */
export async function within<Value>(work: Promise<Value>, untilMs: number): Promise<Value | undefined> {
  let callOff = (): void => {};
  const late = new Promise<undefined>((resolve) => {
    callOff = afterMs(untilMs - nowMs(), () => resolve(undefined));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    callOff();
  }
}
