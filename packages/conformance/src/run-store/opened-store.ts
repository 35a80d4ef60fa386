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
    it(name, () => withStore(open, ({ store, reopen }) => body(store, new Runs(store, reopen))));
  };
}

/** Opens a store for some work, and disposes of it. */
export async function withStore(open: OpenStore, work: (opened: OpenedStore) => Promise<void>): Promise<void> {
  const opened = await open();
  try {
    await work(opened);
  } finally {
    await opened.dispose();
  }
}
