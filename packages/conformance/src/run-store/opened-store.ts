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

/** Declares a test with its own store, in which there is something from the start. */
export type StoreTestWith<Made> = (
  name: string,
  body: (store: RunStore, made: Made, runs: Runs) => Promise<void>,
) => void;

/** Declares a test with its own store. */
export interface StoreTest {
  (name: string, body: (store: RunStore, runs: Runs) => Promise<void>): void;
  with<Made>(make: (runs: Runs) => Promise<Made>): StoreTestWith<Made>;
  /** With the run "run", held by "ann". */
  readonly held: StoreTestWith<HeldRun>;
  /** With the run "run", which waits for a post. */
  readonly waiting: StoreTestWith<HeldRun>;
  /** With the run "run", which has ended. */
  readonly ended: StoreTestWith<HeldRun>;
}

export function createStoreTest(open: OpenStore): StoreTest {
  const test = (name: string, body: (store: RunStore, runs: Runs) => Promise<void>): void => {
    it(name, () => withStore(open, ({ store, reopen }) => body(store, new Runs(store, reopen))));
  };
  const withMade: StoreTest["with"] = (make) => (name, body) => {
    test(name, async (store, runs) => body(store, await make(runs), runs));
  };
  return Object.assign(test, {
    with: withMade,
    held: withMade((runs) => runs.create("run")),
    waiting: withMade((runs) => runs.createWaiting("run")),
    ended: withMade((runs) => runs.createEnded("run")),
  });
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
