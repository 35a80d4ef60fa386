import { wrapStore } from "millrace/engine";
import type { RunCommit, RunStore } from "millrace/runtime";

export interface MortalStore {
  readonly store: RunStore;
  /** The process dies with the first call of `commit` from here on for which `isLast` returns `true`. */
  dieWith(isLast: (commits: readonly RunCommit[]) => boolean): void;
}

/** The store of a process that dies with a commit: that one is stored, its answer is not heard, and nothing else reaches the store. */
export function mortalStore(store: RunStore): MortalStore {
  let isLast: (commits: readonly RunCommit[]) => boolean = () => false;
  let isDead = false;
  const never = new Promise<never>(() => {});
  const mortal = wrapStore(store, (name, method) => {
    if (name === "hash" || name === "watch") return method;
    return async (...args: readonly unknown[]) => {
      if (isDead) return never;
      if (name === "commit") isDead = isLast(args[0] as readonly RunCommit[]);
      const answer = await method(...args);
      return isDead ? never : answer;
    };
  });
  return {
    store: mortal,
    dieWith(last) {
      isLast = last;
    },
  };
}

/** The same store for several runtimes: stopping one of them leaves it open. */
export function keptOpen(store: RunStore): RunStore {
  return wrapStore(store, (name, method) => (name === "close" ? async () => {} : method));
}
