/**
 * Reads a run until it ends or waits for a person.
 *
 * @module
 */
import type { PendingPrompt, RunOutcome, StreamedEvent } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { afterMs, nowMs } from "../system.js";

/** The events of a run up to the last one before it waits for a person. */
export class UntilWaiting implements AsyncIterable<StreamedEvent> {
  readonly #handle: RunHandle;
  readonly #signal: AbortSignal;
  /** Prompts that were open when the reading ended. */
  openPrompts: readonly PendingPrompt[] = [];

  constructor(handle: RunHandle, signal: AbortSignal) {
    this.#handle = handle;
    this.#signal = signal;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamedEvent> {
    const events = this.#handle.streamEvents({ signal: this.#signal })[Symbol.asyncIterator]();
    let waits: Promise<number> | null = this.#lastBeforeWait();
    waits.catch(() => {}); // the next read reports the error
    let last = Number.POSITIVE_INFINITY;
    let next: Promise<IteratorResult<StreamedEvent>> | null = null;
    for (let seen = -1; seen < last; ) {
      next ??= events.next();
      const first: IteratorResult<StreamedEvent> | number = await Promise.race([
        next,
        ...(waits === null ? [] : [waits]),
      ]);
      if (typeof first === "number") {
        last = first;
        waits = null;
        continue;
      }
      next = null;
      if (first.done === true) return;
      seen = first.value.sequence;
      yield first.value;
    }
    next?.catch(() => {}); // it is aborted
  }

  /** Number of the last event when the run waits for a person. */
  async #lastBeforeWait(): Promise<number> {
    await waitingForPerson(this.#handle, this.#signal);
    this.openPrompts = await this.#handle.prompts();
    return (await this.#handle.summary()).lastEvent;
  }
}

/** Resolves when only a person can continue the run; never, when it ends before. */
async function waitingForPerson(handle: RunHandle, signal: AbortSignal): Promise<void> {
  for (;;) {
    const outcome = await handle.idle({ signal });
    if (outcome.status !== "waiting") return new Promise(() => {}); // its last event ends the reading
    if (isForPerson(outcome)) return;
    await passed(Math.max((outcome.wakeAtMs ?? nowMs()) - nowMs(), 0) + 5, signal);
    signal.throwIfAborted();
  }
}

/** Resolves after this time, or when the signal aborts. */
function passed(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancelTimer();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancelTimer = afterMs(delayMs, done);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}

/** A wait that is shorter is not shown to people as one for them. */
const shortWaitMs = 2_000;

/**
 * A run that waits for a time continues by itself, such as a call that is made again; unless that time is only the
 * limit of a question.
 */
export function isForPerson(outcome: RunOutcome | null): boolean {
  if (outcome?.status !== "waiting") return false;
  const { wakeAtMs, prompts } = outcome;
  if (wakeAtMs === null || prompts.some(({ dueAtMs }) => dueAtMs === wakeAtMs)) return true;
  return prompts.length > 0 && wakeAtMs > nowMs() + shortWaitMs;
}
