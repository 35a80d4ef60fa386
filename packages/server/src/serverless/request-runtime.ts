/**
 * A runtime for as long as one request.
 *
 * It borrows the store: it neither closes it nor takes up what is due, unless it is made for that. When it is closed, nothing of
 * it is left: no lease, no timer, no watcher.
 *
 * @module
 */
import type { Log, Workflow } from "millrace";
import { createRuntime, type RunKey, type RunStore, type Runtime, type Workflows } from "millrace/runtime";

export interface RequestRuntimeSetup {
  readonly workflows: { readonly [name: string]: Workflow };
  readonly store: RunStore;
  readonly log: Log;
  /** Takes up what is due, and says what that was. @default it does not */
  readonly onTaken?: (keys: readonly RunKey[]) => void;
}

export function openRequestRuntime({ workflows, store, log, onTaken }: RequestRuntimeSetup): Runtime<Workflows> {
  const borrowed = override(store, {
    close: async () => {},
    nextWakeAtMs: async () => null,
    claimDue: async (request) => {
      if (onTaken === undefined) return [];
      const claimed = await store.claimDue(request);
      onTaken(claimed.map(({ run }) => run.key));
      return claimed;
    },
  });
  return createRuntime({ workflows, store: borrowed, log }) as unknown as Runtime<Workflows>;
}

/** The store with some methods of its own. Methods keep their store: it may have private fields. */
function override(store: RunStore, own: Partial<RunStore>): RunStore {
  return new Proxy(store, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof RunStore];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
