/** Several runtimes over one store, each standing for a process, under one clock. */
import {
  createRuntime,
  type HistoryEntry,
  memoryStore,
  type RunHandle,
  type RunKey,
  type RunStore,
  type Runtime,
  type RuntimeOptions,
  type StoredRun,
  type Workflows,
} from "../../src/entries/runtime.js";
import { Mortal } from "./runtimes.js";
import { type RecordedLog, recordLog, settle, VirtualClock } from "./virtual-clock.js";

/** The store of a test stays open when one of its runtimes stops. */
export function keptOpen(store: RunStore): RunStore {
  return withMethods(store, { close: async () => {} });
}

/** The store, with some of its methods replaced. */
export function withMethods(store: RunStore, methods: Partial<RunStore>): RunStore {
  return new Proxy(store, {
    get(target, name) {
      const own = methods[name as keyof RunStore];
      if (own !== undefined) return own;
      const member = target[name as keyof RunStore];
      return typeof member === "function" ? (member as () => unknown).bind(target) : member;
    },
  });
}

/** A store that a process cannot reach for a while: its calls arrive, and answer, only once it goes on. */
export class Stalling {
  readonly store: RunStore;
  #goesOn: Promise<void> = Promise.resolve();
  #open: () => void = () => {};

  constructor(inner: RunStore) {
    this.store = new Proxy(inner, {
      get: (target, name) => {
        const member = target[name as keyof RunStore];
        if (typeof member !== "function") return member;
        const method = (member as (...args: unknown[]) => unknown).bind(target);
        if (name === "hash" || name === "watch") return method;
        return async (...args: unknown[]) => {
          await this.#goesOn;
          const answer = await method(...args);
          await this.#goesOn;
          return answer;
        };
      },
    });
  }

  stall(): void {
    this.#goesOn = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  goOn(): void {
    this.#open();
  }
}

/** Told of its own changes by key, and of those of others without: as a file tells its processes. */
function asProcess(store: RunStore): RunStore {
  const own = new Set<string>();
  const mark = async <Result>(keys: readonly RunKey[], change: () => Promise<Result>): Promise<Result> => {
    const ids = keys.map((key) => JSON.stringify([key.tenant, key.runId]));
    for (const id of ids) own.add(id);
    try {
      return await change();
    } finally {
      for (const id of ids) own.delete(id);
    }
  };
  return withMethods(store, {
    commit: (commits) =>
      mark(
        commits.map(({ key }) => key),
        () => store.commit(commits),
      ),
    post: (key, message) => mark([key], () => store.post(key, message)),
    watch: (listener) =>
      store.watch((key) => listener(key !== null && own.delete(JSON.stringify([key.tenant, key.runId])) ? key : null)),
  });
}

export interface Process<Flows extends Workflows> {
  readonly runtime: Runtime<Flows>;
  readonly log: RecordedLog;
  /** From here on it does nothing any more, and nobody hears of it. */
  kill(): void;
  readonly death: Promise<"dead">;
}

export interface Dying {
  /** With this commit: it is stored, its answer is not heard. */
  readonly diesAt?: number;
}

/** A place where processes come and go. */
export class Machine {
  readonly clock = new VirtualClock();
  readonly store: RunStore;

  constructor(store: RunStore = memoryStore()) {
    this.store = keptOpen(store);
  }

  open<const Flows extends Workflows>(
    workflows: Flows,
    { diesAt, ...options }: Omit<Partial<RuntimeOptions<Flows>>, "workflows" | "clock"> & Dying = {},
  ): Process<Flows> {
    const mortal = new Mortal(asProcess(options.store ?? this.store), diesAt);
    const log = recordLog();
    const runtime = createRuntime({ log, ...options, workflows, clock: this.clock, store: mortal.store });
    return { runtime, log, kill: () => mortal.kill(), death: mortal.death };
  }

  async row(runId: string, tenant: string = ""): Promise<StoredRun> {
    const run = await this.store.run({ tenant, runId });
    if (run === null) throw new Error(`There is no run "${runId}".`);
    return run;
  }

  /** Everything that is stored of a run. */
  async dump(key: RunKey): Promise<unknown> {
    const all = { after: -1, limit: 10_000 };
    return {
      run: await this.store.run(key),
      ticks: await this.store.ticks(key, { ...all, after: 0 }),
      events: await this.store.events(key, all),
      posts: await this.store.posts(key),
      snapshot: await this.store.snapshot(key),
    };
  }
}

export async function historyOf(runtime: Runtime, runId: string): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for await (const entry of runtime.history(runId)) entries.push(entry);
  return entries;
}

/** What has become of a promise by now, without waiting for time. */
export async function state(promise: PromiseLike<unknown>): Promise<unknown> {
  let now: unknown = "pending";
  promise.then(
    (value) => {
      now = { value };
    },
    (error: unknown) => {
      now = { error };
    },
  );
  await settle();
  return now;
}

/** The prompts that a run shows, by id. */
export async function promptIds(handle: RunHandle): Promise<string[]> {
  const outcome = await handle.idle();
  if (outcome.status !== "waiting") throw new Error(`The run is ${outcome.status}.`);
  return outcome.prompts.map(({ promptId }) => promptId);
}
