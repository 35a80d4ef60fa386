/** Waits for a change of a run, without missing one that comes during a look. */

import { idOf } from "../store/run-key.js";
import type { RunChange, RunKey } from "../store/run-store.types.js";
import { runtimeStopped } from "../store/store-kit.js";
import type { RunTable } from "../worker/claim/run-table.js";

export interface ChangeOptions {
  /** Makes it look again. Called with a function that does so. */
  readonly wake?: (again: () => void) => void;
  /** Called after a look that found nothing: sets a timer for the next one, and returns the function that cancels it. */
  readonly timer?: (again: () => void) => () => void;
  /** Asked at every change of the run: `true`, there is nothing to see in it yet. @param change Left out: any change. */
  readonly isEarly?: (change: RunChange | undefined) => boolean;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls `look` until it returns a value: now, after every change of the run, and a last time when the runtime has stopped.
 * Meanwhile the process stays alive.
 *
 * @throws the reason of `signal`.
 * @throws {WorkflowError} `RUNTIME_STOPPED`
 */
export async function waitForChange<Value>(
  { runTable, key }: { readonly runTable: RunTable; readonly key: RunKey },
  look: () => Promise<Value | undefined>,
  { wake, timer, isEarly, signal }: ChangeOptions = {},
): Promise<Value> {
  let changed = false;
  let resume: () => void = () => {};
  const again = (): void => {
    changed = true;
    resume();
  };
  const letEnd = runTable.clock.keepAlive?.();
  wake?.(again);
  signal?.addEventListener("abort", again);
  const stop = runTable.watchers.add(idOf(key), (change) => isEarly?.(change) === true || again());
  try {
    for (;;) {
      signal?.throwIfAborted();
      changed = false;
      const { isOver } = runTable;
      const found = await runTable.watchers.track(look());
      if (found !== undefined) return found;
      if (isOver) throw runtimeStopped(); // no change would be reported any more
      if (changed) continue; // during the look
      const callOff = timer?.(again);
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
      callOff?.();
    }
  } finally {
    stop();
    letEnd?.();
    signal?.removeEventListener("abort", again);
  }
}
