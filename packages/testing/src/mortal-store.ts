/**
 * Stands for a process in front of its store: once that is dead, no call of its reaches the store, and none returns.
 *
 * @module
 */
import type { RunStore } from "millrace/runtime";

/** What changes a store. `commit` holds all that happens to a run. */
const writes: ReadonlySet<PropertyKey> = new Set(["commit", "post", "writeRecords", "delete"]);
/** Leases of the processes before have run out for it. */
const LEAD_MS = 3_600_000;

/**
 * Which write: how many ticks of runs are stored with it, and how many writes there were since the last one with ticks. A number alone
 * would be of another one in the next process: what is stored in one write and what in two is a matter of time.
 */
export interface Place {
  readonly ticks: number;
  readonly since: number;
}

export interface Death {
  /** The write with which it dies, or the next one where there is none. */
  readonly place: Place;
  /** Whether that one is stored; its answer is not heard. */
  readonly isStored: boolean;
}

export interface MortalOptions {
  /** Null: it lives. */
  readonly dies: Death | null;
  /** How many processes there were before it. */
  readonly before: number;
}

type Method = (...args: readonly unknown[]) => unknown;

export class Mortal {
  /** The writes there were. */
  readonly writes: Place[] = [];
  readonly death: Promise<"dead">;
  readonly #options: MortalOptions;
  readonly #stores: RunStore[] = [];
  #die: () => void = () => {};
  #isDead = false;

  constructor(options: MortalOptions) {
    this.#options = options;
    this.death = new Promise((resolve) => {
      this.#die = () => resolve("dead");
    });
  }

  /** The store as this process has it. */
  readonly mortal = (store: RunStore): RunStore => {
    this.#stores.push(store);
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = target[name as keyof RunStore];
        if (typeof member !== "function") return member;
        const method = (member as Method).bind(target);
        if (name === "hash") return method;
        return (...args: unknown[]) => this.#call(name, method, args);
      },
    });
  };

  /** Gives back what the dead have held. */
  async bury(): Promise<void> {
    for (const store of this.#stores) await store.close();
  }

  #call(name: PropertyKey, method: Method, args: readonly unknown[]): unknown {
    if (name === "watch") return method(...args);
    if (this.#isDead) return never();
    if (writes.has(name) && this.#isLast(name, args)) {
      this.#isDead = true;
      this.#die();
      if (this.#options.dies?.isStored !== true) return never();
    }
    const answer = Promise.resolve(method(...this.#withLead(name, args)));
    return answer.then((value) => (this.#isDead ? never() : value));
  }

  #isLast(name: PropertyKey, args: readonly unknown[]): boolean {
    const { ticks, since } = this.writes.at(-1) ?? { ticks: 0, since: 0 };
    const more = name === "commit" ? ticksIn(args[0] as Commits) : 0;
    const place: Place = { ticks: ticks + more, since: more === 0 ? since + 1 : 0 };
    this.writes.push(place);
    const wanted = this.#options.dies?.place;
    if (wanted === undefined || place.ticks < wanted.ticks) return false;
    return place.ticks > wanted.ticks || place.since >= wanted.since;
  }

  #withLead(name: PropertyKey, args: readonly unknown[]): readonly unknown[] {
    const lease = name === "claim" ? 1 : name === "claimDue" ? 0 : -1;
    const leadMs = this.#options.before * LEAD_MS;
    return args.map((arg, index) => {
      if (index !== lease || leadMs === 0) return arg;
      const { nowMs, ...rest } = arg as { readonly nowMs: number };
      return { ...rest, nowMs: nowMs + leadMs };
    });
  }
}

type Commits = Parameters<RunStore["commit"]>[0];

function ticksIn(commits: Commits): number {
  return commits.reduce((sum, { ticks }) => sum + (ticks === undefined ? 0 : ticks.last - ticks.first + 1), 0);
}

function never(): Promise<never> {
  return new Promise(() => {});
}
