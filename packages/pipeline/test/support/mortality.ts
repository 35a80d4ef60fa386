/** Processes that kill themselves at moments which a signal from outside hits too rarely. */
import type { RunStore } from "millrace/runtime";

export interface Death {
  readonly at: "before commit" | "after commit" | "in effect";
  /** The how manieth one, from 1. */
  readonly count: number;
}

/** Kills this process, at once, when its time has come. */
export class Mortality {
  #death: Death | null;
  #count = 0;

  constructor(death: Death | null) {
    this.#death = death;
  }

  /** Counted from here on. */
  begin(death: Death): void {
    this.#death = death;
    this.#count = 0;
  }

  reach(at: Death["at"]): void {
    if (this.#death?.at === at && ++this.#count === this.#death.count) process.kill(process.pid, "SIGKILL");
  }
}

export function mortalStore(store: RunStore, mortality: Mortality): RunStore {
  const commit: RunStore["commit"] = async (commits) => {
    mortality.reach("before commit");
    const results = await store.commit(commits);
    mortality.reach("after commit");
    return results;
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === "commit") return commit;
      const member = Reflect.get(target, name) as unknown;
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
