import type { RunOutcome } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { afterMs, nowMs } from "./system.js";

/**
 * Resolves when the run has ended, when only somebody outside can bring it on, or when the time is up.
 * A run that sleeps or waits for its next attempt is waited for.
 *
 * @param gone Aborts when nobody wants to know any more.
 */
export async function settled(handle: RunHandle, waitMs: number, gone?: AbortSignal): Promise<void> {
  const untilMs = nowMs() + waitMs;
  for (;;) {
    const outcome = await before({ untilMs, gone }, (signal) => handle.idle({ signal }));
    if (outcome?.status !== "waiting" || outcome.prompts.length > 0 || outcome.wakeAtMs === null) return;
    if (outcome.wakeAtMs >= untilMs || gone?.aborted) return;
    // Its timer is due then; what it does in between ends this sooner or later, too.
    const dueMs = Math.min(untilMs, Math.max(outcome.wakeAtMs, nowMs()) + 10);
    await before({ untilMs: dueMs, gone }, (signal) => ended(handle, signal));
  }
}

/** Where the run stands once it has nothing to do. Undefined: the time was up first. */
export function idleUntil(handle: RunHandle, untilMs: number): Promise<RunOutcome | undefined> {
  return before({ untilMs }, (signal) => handle.idle({ signal }));
}

/** Everything that it shows from here on; nothing comes after its end. */
async function ended(handle: RunHandle, signal: AbortSignal): Promise<void> {
  const { lastEvent } = await handle.summary();
  for await (const _ of handle.streamEvents({ after: lastEvent, signal })) {
    // Whoever wants to see it reads the stream.
  }
}

interface Patience {
  readonly untilMs: number;
  readonly gone?: AbortSignal | undefined;
}

/**
 * Undefined: the time was up first, or nobody waits any more. The work is called off then: a run may be at work for days, and
 * whoever asks for it all the time must not leave something behind each time.
 */
async function before<Value>(
  { untilMs, gone }: Patience,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | undefined> {
  if (gone?.aborted) return undefined;
  const calledOff = new AbortController();
  let giveUp = (): void => {};
  const late = new Promise<undefined>((resolve) => {
    giveUp = () => {
      resolve(undefined);
      calledOff.abort();
    };
  });
  const callOff = afterMs(untilMs - nowMs(), giveUp);
  gone?.addEventListener("abort", giveUp);
  try {
    return await Promise.race([work(calledOff.signal), late]);
  } finally {
    callOff();
    gone?.removeEventListener("abort", giveUp);
  }
}
