/** A store in memory that tells what is written to it, and can make a commit wait. */
import { memoryStore, type RunCommit, type RunStore } from "millrace/runtime";

export interface Written {
  /** Commits with ticks. */
  commits: number;
  ticks: number;
  /** Characters of ticks and events, but for the commit that ends the run with its result. */
  length: number;
  /** Characters of the tick that ends the run. */
  endTick: number;
  /** Characters of how the run ended, in its row. */
  outcome: number;
}

export class WatchedStore {
  readonly store: RunStore;
  readonly written: Written = { commits: 0, ticks: 0, length: 0, endTick: 0, outcome: 0 };
  /** Awaited before the commit is stored. */
  before: (text: string) => Promise<void> | undefined = () => undefined;

  constructor(inner: RunStore = memoryStore()) {
    const commit: RunStore["commit"] = async (commits) => {
      for (const one of commits) this.#count(one);
      await this.before(commits.map(({ ticks }) => ticks?.text ?? "").join());
      return inner.commit(commits);
    };
    this.store = new Proxy(inner, {
      get(target, name) {
        if (name === "commit") return commit;
        const member = Reflect.get(target, name) as unknown;
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  }

  /** What was written by now, to be compared with what is written later. */
  get now(): Written {
    return { ...this.written };
  }

  #count({ ticks, events, summary }: RunCommit): void {
    this.written.outcome += summary?.outcome?.length ?? 0;
    for (const { text } of events ?? []) this.written.length += text.length;
    if (ticks === undefined) return;
    this.written.commits++;
    this.written.ticks += ticks.last - ticks.first + 1;
    this.written[ticks.text.includes('"StopEvent"') ? "endTick" : "length"] += ticks.text.length;
  }
}
