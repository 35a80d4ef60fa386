/**
 * Plays a process in front of its store: once the process is dead, none of its calls reaches the store or returns.
 *
 * @module
 */
import { wrapStore } from "millrace/engine";
import type { RunStore } from "millrace/runtime";

/** Methods that change a store. `commit` contains everything that happens to a run. */
const writes: ReadonlySet<PropertyKey> = new Set(["commit", "post", "writeRecords", "delete"]);
/** Argument in which each method names the holder of the lease. */
const leaseArgument: ReadonlyMap<PropertyKey, number> = new Map([
  ["claim", 1],
  ["claimDue", 0],
  ["renew", 0],
]);

/**
 * Identifies a write: by the number of ticks stored with it, and the number of writes since the last write with ticks.
 * A plain number would not fit the next process, because what is stored in one write and what in two depends on timing.
 */
export interface WritePosition {
  readonly ticks: number;
  readonly since: number;
}

export interface Death {
  /** The write at which the process dies, or the next one when that write does not come. */
  readonly place: WritePosition;
  /**
   * `"lost"`: that write is lost. `"stored"`: it is stored, but its response is not received. `"stopped"`: the process
   * gets the request to stop, and the write is made.
   */
  readonly how: "lost" | "stored" | "stopped";
}

/** A call of the store that is not yet made. */
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
  /** The writes so far. */
  readonly writes: WritePosition[] = [];
  /** Resolves when the process is dead and its leases have expired. */
  readonly death: Promise<"dead">;
  /** Called when the process should stop. */
  onStop: () => void = () => {};
  readonly #dies: Death | null;
  readonly #stores: Held[] = [];
  #die: () => void = () => {};
  #isDead = false;
  #isStopping = false;

  /** @param dies When the process dies; `null` for never. */
  constructor(dies: Death | null) {
    this.#dies = dies;
    this.death = new Promise((resolve) => {
      this.#die = () => resolve("dead");
    });
  }

  /** `true` once the process should stop. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Wraps the store of this process. */
  readonly mortal = (store: RunStore): RunStore => {
    const held: Held = { store, owners: new Set() };
    this.#stores.push(held);
    return wrapStore(store, (name, method) => {
      if (name === "hash") return method;
      return (...args: unknown[]) => this.#call(held, { name, args, make: () => method(...args) });
    });
  };

  /** Releases what the dead process has held. */
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
      await expire(held); // too late for the caller, but the store has executed the claim
      return never();
    });
  }

  async #dieWith(lastWrite: () => unknown): Promise<never> {
    this.#isDead = true;
    try {
      if (this.#dies?.how === "stored") await lastWrite();
    } catch {
      // The caller of this request is dead: the error has no receiver.
    }
    for (const held of this.#stores) await expire(held);
    this.#die();
    return never();
  }

  #isLast(name: PropertyKey, args: readonly unknown[]): boolean {
    const { ticks, since } = this.writes.at(-1) ?? { ticks: 0, since: 0 };
    const more = name === "commit" ? ticksIn(args[0] as Commits) : 0;
    const place: WritePosition = { ticks: ticks + more, since: more === 0 ? since + 1 : 0 };
    this.writes.push(place);
    const wanted = this.#dies?.place;
    if (wanted === undefined || place.ticks < wanted.ticks) return false;
    return place.ticks > wanted.ticks || place.since >= wanted.since;
  }
}

/** Makes the leases of the dead process expire at once: time is real here, and leases are long. */
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
