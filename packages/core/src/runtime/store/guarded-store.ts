import { checkStoreArguments } from "./check-store-arguments.js";
import type { RunStore } from "./run-store.types.js";
import { runtimeStopped } from "./runtime-errors.js";
import { wrapStore } from "./store-kit.js";

/**
 * The store as the runtime uses it. Arguments are checked for their types, and calls that fail because the runtime has closed the
 * store say so.
 */
export function guardedStore(store: RunStore, isClosed: () => boolean): RunStore {
  return wrapStore(store, (name, method) => {
    if (name === "hash" || name === "watch") return method;
    return async (...args: readonly unknown[]) => {
      if (isClosed()) throw runtimeStopped();
      checkStoreArguments(name, args);
      try {
        return await method(...args);
      } catch (error) {
        throw isClosed() && name !== "close" ? runtimeStopped() : error;
      }
    };
  });
}
