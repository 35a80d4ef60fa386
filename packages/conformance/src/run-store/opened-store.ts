import type { RunStore } from "millrace/runtime";
import { it } from "vitest";

/** An empty store of one test. */
export interface OpenedStore {
  readonly store: RunStore;
  /** A second connection to the same data. A store that has none gives itself. */
  reopen(): Promise<RunStore>;
  /** Closes all connections and removes the data. */
  dispose(): Promise<void>;
}

export type OpenStore = () => Promise<OpenedStore>;

/** Declares a test that gets a store of its own. */
export type StoreTest = (name: string, body: (store: RunStore, opened: OpenedStore) => Promise<void>) => void;

export function createStoreTest(open: OpenStore): StoreTest {
  return (name, body) => {
    it(name, async () => {
      const opened = await open();
      try {
        await body(opened.store, opened);
      } finally {
        await opened.dispose();
      }
    });
  };
}
