/**
 * A runtime for one request.
 *
 * It borrows the store: it does not close it, and recovers due runs only with `onClaimed`. Closing it leaves no lease,
 * timer or watcher behind.
 *
 * @module
 */
import type { Log, Workflow } from "millrace";
import { wrapStore } from "millrace/engine";
import { createRuntime, type RunKey, type RunStore, type Runtime, type Workflows } from "millrace/runtime";

export interface RequestRuntimeSetup {
  readonly workflows: { readonly [name: string]: Workflow };
  readonly store: RunStore;
  readonly log: Log;
  /** Recovers due runs and receives their keys. @default due runs are left alone */
  readonly onClaimed?: (keys: readonly RunKey[]) => void;
}

export function openRequestRuntime({ workflows, store, log, onClaimed }: RequestRuntimeSetup): Runtime<Workflows> {
  const own: Partial<RunStore> = {
    close: async () => {},
    nextWakeAtMs: async () => null,
    claimDue: async (request) => {
      if (onClaimed === undefined) return [];
      const claimed = await store.claimDue(request);
      onClaimed(claimed.map(({ run }) => run.key));
      return claimed;
    },
  };
  const borrowed = wrapStore(store, (name, method) => own[name] ?? method);
  return createRuntime({ workflows, store: borrowed, log }) as unknown as Runtime<Workflows>;
}
