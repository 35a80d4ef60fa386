/**
 * Stands for a process in front of its store: once that is dead, no call of its reaches the store, and none returns.
 *
 * @module
 */
import type { RunStore } from "millrace/runtime";

/** What changes a store. `commit` holds all that happens to a run. */
const writes: ReadonlySet<PropertyKey> = new Set(["commit", "post", "writeRecords", "delete"]);
/** Where each call says who holds what it is about. */
const leaseArgument: ReadonlyMap<PropertyKey, number> = new Map([
  ["claim", 1],
  ["claimDue", 0],
  ["renew", 0],
]);

/**
 * Which write: how many ticks of runs are stored with it, and how many writes there were since the last one with ticks. A number alone
 * would be of another one in the next process: what is stored in one write and what in two is a matter of time.
 */
export interface Place {
  readonly ticks: number;
  readonly since: number;
}

export interface Death {
  /** The write with which it goes, or the next one where there is none. */
  readonly place: Place;
  /** It dies: that write is lost, or stored and its answer not heard. Or it is told to stop, and the write goes on. */
  readonly how: "lost" | "stored" | "stopped";
}

type Method = (...args: readonly unknown[]) => unknown;

/** A call of the store that has not been made. */
interface Call {
  readonly name: PropertyKey;
  readonly args: readonly unknown[];
  readonly make: () => unknown;
}

interface Held {
  readonly store: RunStore;
  readonly owners: Set<string>;
}

export class Mortal {
  /** The writes there were. */
  readonly writes: Place[] = [];
  /** Resolves when it is dead, and the leases it had have run out. */
  readonly death: Promise<"dead">;
  /** Called when it is told to stop. */
  onStop: () => void = () => {};
  readonly #dies: Death | null;
  readonly #stores: Held[] = [];
  #die: () => void = () => {};
  #isDead = false;
  #isStopping = false;

  /** @param dies Null: it lives. */
  constructor(dies: Death | null) {
    this.#dies = dies;
    this.death = new Promise((resolve) => {
      this.#die = () => resolve("dead");
    });
  }

  /** It was told to stop. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** The store as this process has it. */
  readonly mortal = (store: RunStore): RunStore => {
    const held: Held = { store, owners: new Set() };
    this.#stores.push(held);
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = target[name as keyof RunStore];
        if (typeof member !== "function") return member;
        const method = (member as Method).bind(target);
        if (name === "hash") return method;
        return (...args: unknown[]) => this.#call(held, { name, args, make: () => method(...args) });
      },
    });
  };

  /** Gives back what the dead have held. */
  async bury(): Promise<void> {
    for (const { store } of this.#stores) await store.close();
  }

  #call(held: Held, { name, args, make }: Call): unknown {
    if (name === "watch") return make();
    if (this.#isDead) return never();
    for (const owner of ownersIn(name, args)) held.owners.add(owner);
    if (!this.#isStopping && writes.has(name) && this.#isLast(name, args)) {
      if (this.#dies?.how !== "stopped") return this.#dieWith(make);
      this.#isStopping = true;
      this.onStop();
    }
    return Promise.resolve(make()).then(async (value) => {
      if (!this.#isDead) return value;
      await expire(held); // it has come too late for the one who asked, and not for the store
      return never();
    });
  }

  async #dieWith(lastWrite: () => unknown): Promise<never> {
    this.#isDead = true;
    try {
      if (this.#dies?.how === "stored") await lastWrite();
    } catch {
      // Nobody hears of that any more.
    }
    for (const held of this.#stores) await expire(held);
    this.#die();
    return never();
  }

  #isLast(name: PropertyKey, args: readonly unknown[]): boolean {
    const { ticks, since } = this.writes.at(-1) ?? { ticks: 0, since: 0 };
    const more = name === "commit" ? ticksIn(args[0] as Commits) : 0;
    const place: Place = { ticks: ticks + more, since: more === 0 ? since + 1 : 0 };
    this.writes.push(place);
    const wanted = this.#dies?.place;
    if (wanted === undefined || place.ticks < wanted.ticks) return false;
    return place.ticks > wanted.ticks || place.since >= wanted.since;
  }
}

/** Time is real, and leases are long: those of the dead run out at once. */
async function expire({ store, owners }: Held): Promise<void> {
  const nowMs = Date.now();
  for (const owner of owners) await store.renew({ owner, nowMs, untilMs: nowMs - 1 });
}

function ownersIn(name: PropertyKey, args: readonly unknown[]): readonly string[] {
  if (name === "commit") return (args[0] as Commits).flatMap(({ create }) => create?.lease?.owner ?? []);
  const index = leaseArgument.get(name);
  return index === undefined ? [] : [(args[index] as { readonly owner: string }).owner];
}

type Commits = Parameters<RunStore["commit"]>[0];

function ticksIn(commits: Commits): number {
  return commits.reduce((sum, { ticks }) => sum + (ticks === undefined ? 0 : ticks.last - ticks.first + 1), 0);
}

function never(): Promise<never> {
  return new Promise(() => {});
}
