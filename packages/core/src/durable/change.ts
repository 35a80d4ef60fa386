/** Waiting for a run to change, without missing a change that comes while one looks. */
import type { RunRegistry } from "./registry.js";
import { idOf } from "./run-key.js";
import type { RunKey } from "./run-store.types.js";
import { runtimeStopped } from "./runtime-errors.js";

export interface ChangeOptions {
  /** Makes it look again; called with the way to do so. */
  readonly wake?: (again: () => void) => void;
  /** Ends the waiting, and leaves nothing of it behind. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks `look` until it gives something: now, after every change of the run, and a last time when the runtime has stopped.
 *
 * @throws the reason of `signal`.
 * @throws {WorkflowError} `RUNTIME_STOPPED`
 */
export async function whenChanged<Value>(
  { registry, key }: { readonly registry: RunRegistry; readonly key: RunKey },
  look: () => Promise<Value | undefined>,
  { wake, signal }: ChangeOptions = {},
): Promise<Value> {
  let changed = false;
  let tell: () => void = () => {};
  const again = (): void => {
    changed = true;
    tell();
  };
  wake?.(again);
  signal?.addEventListener("abort", again);
  const stop = registry.watchers.add(idOf(key), again);
  try {
    for (;;) {
      signal?.throwIfAborted();
      changed = false;
      const { isOver } = registry;
      const found = await registry.watchers.looking(look());
      if (found !== undefined) return found;
      if (isOver) throw runtimeStopped(); // nobody would tell of a change
      // Changed while it looked: look again.
      if (!changed)
        await new Promise<void>((resolve) => {
          tell = resolve;
        });
    }
  } finally {
    stop();
    signal?.removeEventListener("abort", again);
  }
}
