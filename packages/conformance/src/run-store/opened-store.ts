import type { RunStore } from "millrace/runtime";
import { it } from "vitest";
import { type HeldRun, Runs } from "./runs.js";

/** An empty store for one test. */
export interface OpenedStore {
  readonly store: RunStore;
  /** Opens a second connection to the same data. A store without connections returns itself. */
  reopen(): Promise<RunStore>;
  /** Closes all connections and removes the data. */
  dispose(): Promise<void>;
}

export type OpenStore = () => Promise<OpenedStore>;

type TestBody = (store: RunStore, runs: Runs) => Promise<void>;
type HeldTestBody = (store: RunStore, run: HeldRun, runs: Runs) => Promise<void>;

/** Declares a test with its own store. */
export interface StoreTest {
  (name: string, body: TestBody): void;
  /** The store has one run from the start: "run", held by "ann". */
  held(name: string, body: HeldTestBody): void;
}

export function createStoreTest(open: OpenStore): StoreTest {
  const test = (name: string, body: TestBody): void => {
    it(name, () => withStore(open, ({ store, reopen }) => body(store, new Runs(store, reopen))));
  };
  const held = (name: string, body: HeldTestBody): void => {
    test(name, async (store, runs) => body(store, await runs.create("run"), runs));
  };
  return Object.assign(test, { held });
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
