/** Waiting for a run to change, without missing a change that comes while one looks. */
import type { RunDesk } from "./desk.js";
import { idOf } from "./desk.js";
import type { RunKey } from "./run-store.types.js";

/**
 * Asks `look` until it gives something: now, and after every change of the run.
 *
 * @param wake Makes it look again; called with the way to do so.
 */
export async function whenChanged<Value>(
  { desk, key }: { readonly desk: RunDesk; readonly key: RunKey },
  look: () => Promise<Value | undefined>,
  wake?: (again: () => void) => void,
): Promise<Value> {
  const id = idOf(key);
  let changed = false;
  let tell: () => void = () => {};
  const watcher = (which: string | null): void => {
    if (which !== null && which !== id) return;
    changed = true;
    tell();
  };
  wake?.(() => watcher(id));
  desk.watchers.add(watcher);
  try {
    for (;;) {
      changed = false;
      const found = await look();
      if (found !== undefined) return found;
      // Changed while it looked: look again.
      if (!changed)
        await new Promise<void>((resolve) => {
          tell = resolve;
        });
    }
  } finally {
    desk.watchers.delete(watcher);
  }
}
