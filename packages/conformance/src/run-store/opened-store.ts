import type { RunStore } from "millrace/runtime";
import { it } from "vitest";
import { Runs } from "./runs.js";

/** An empty store for one test. */
export interface OpenedStore {
  readonly store: RunStore;
  /** Opens a second connection to the same data. A store without connections returns itself. */
  reopen(): Promise<RunStore>;
  /** Closes all connections and removes the data. */
  dispose(): Promise<void>;
}

export type OpenStore = () => Promise<OpenedStore>;

/** Declares a test with its own store. */
export type StoreTest = (name: string, body: (store: RunStore, runs: Runs) => Promise<void>) => void;

export function createStoreTest(open: OpenStore): StoreTest {
  return (name, body) => {
    it(name, async () => {
      const opened = await open();
      try {
        await body(opened.store, new Runs(opened.store, opened.reopen));
      } finally {
        await opened.dispose();
      }
    });
  };
}
