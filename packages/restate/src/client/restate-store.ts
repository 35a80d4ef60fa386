/**
 * The runs of a host on Restate as a {@link RunStore}: started, read and messaged over its ingress. A runtime over this store keeps no run
 * in memory.
 *
 * @module
 */
import type { CommitResult, NewRunRecord, PostResult, RunCommit, RunKey, RunStore, StoredRun } from "millrace/runtime";
import {
  movingUnsupported,
  queueUnsupported,
  recordsUnsupported,
  statisticsUnsupported,
  textTooLong,
  unsupported,
} from "../errors.js";
import { sha256 } from "../hash.js";
import { MAX_TEXT_LENGTH, type ReadAnswer, type ReadMessage, type StartAnswer } from "../host/messages.js";
import type { RecordStore } from "../kept/record-store.js";
import { INBOX, RUN } from "../names.js";
import { Attachments } from "./attachments.js";
import type { Ingress } from "./ingress.js";
import { countRuns, listRuns, tenantsOf } from "./list-runs.js";
import { PollSchedule } from "./poll-schedule.js";
import { Starts } from "./starts.js";

export interface RestateStoreSetup {
  readonly ingress: Ingress;
  /** Whether the admin API, which lists need, is known. */
  readonly hasAdmin: boolean;
  readonly pollMs: number;
  /** `null` without the option `records`. */
  readonly records: RecordStore | null;
}

/** Delay of the first check whether a run has begun, multiplied by the number of starts without an answer. */
const FIRST_LOOK_MS = 50;
const LOOK_LATER_MS = 100;
/** Most large values that are cached. */
const MOST_BLOBS = 1_000;

export function createRestateStore(setup: RestateStoreSetup): RunStore {
  const { ingress, pollMs, records: kept } = setup;
  const polls = new PollSchedule(pollMs);
  const attachments = new Attachments(ingress, (key) => polls.notify(key));
  const runs = new RemoteRuns(setup, attachments);
  const admin = (): Ingress => {
    if (setup.hasAdmin) return ingress;
    throw unsupported(
      "A list of runs",
      "Pass the address of the admin API to `connect`: `connect({ ingress, admin, workflows })`.",
    );
  };
  const recordStore = (): RecordStore => {
    if (kept === null) throw recordsUnsupported();
    return kept;
  };
  return {
    ...readsOf(runs),
    runsElsewhere: true,
    keepsRecords: kept !== null,
    hash: sha256,
    commit: (commits) => Promise.all(commits.map((commit) => runs.commit(commit))),
    // Runs are in the hosts.
    claim: async (_key, { sealed }) => {
      if (sealed === true) throw movingUnsupported();
      return null;
    },
    // No run is claimed: starts that other clients left unfinished are sent to Restate.
    claimDue: async () => {
      await runs.starts?.finish();
      return [];
    },
    renew: async () => [],
    nextWakeAtMs: async () => runs.starts?.nextAtMs ?? null,
    line: async () => ({ waiting: 0, placed: 0, oldestAtMs: null, keys: [], ahead: null }),
    post: async (key, message) => {
      checkLength("The message to the run", message.text);
      if (message.urgent === true) runs.forget(); // it may not stay ended
      const posted = await ingress.call<PostResult>({ service: INBOX, handler: "post", key, message });
      polls.speedUp(key);
      return posted;
    },
    posts: async () => [],
    tenants: async () => tenantsOf(admin()),
    list: async (query) => {
      if (query.failure !== undefined || query.failedStep !== undefined) throw statisticsUnsupported();
      return listRuns(admin(), query);
    },
    counts: async (query) => countRuns(admin(), query),
    histogram: async () => {
      throw statisticsUnsupported();
    },
    statistics: async () => {
      throw statisticsUnsupported();
    },
    deleteStatistics: async () => {
      throw statisticsUnsupported();
    },
    record: async (key) => recordStore().record(key),
    records: async (query) => recordStore().records(query),
    writeRecords: async (writes) => recordStore().writeRecords(writes),
    delete: async (keys) => {
      runs.forget();
      const removed = await Promise.all(
        keys.map((key) => ingress.call<boolean>({ service: RUN, handler: "remove", key })),
      );
      return removed.filter(Boolean).length;
    },
    // Restate notifies a client of the end of an invocation and of no other change of a run: waiting callers poll.
    watch: (listener) => {
      const stops = [polls.subscribe(listener), kept?.watch(() => listener(null))];
      return () => {
        for (const stop of stops) stop?.();
      };
    },
    close: async () => {
      attachments.close();
      polls.stop();
    },
  };
}

type Reads = "run" | "snapshot" | "ticks" | "events" | "receipt" | "received" | "blob";

function readsOf(runs: RemoteRuns): Pick<RunStore, Reads> {
  return {
    run: (key) => runs.find(key),
    snapshot: (key, atOrBelow = Number.MAX_SAFE_INTEGER) =>
      runs.read(key, { what: "snapshot", atOrBelow: atOrBelow >= Number.MAX_SAFE_INTEGER ? null : atOrBelow }),
    ticks: (key, { after, limit }) => runs.read(key, { what: "ticks", after, limit }),
    events: (key, { after, limit }) => runs.read(key, { what: "events", after, limit }),
    receipt: (key, of) => runs.read(key, { what: "receipt", of }),
    received: () => Promise.reject(movingUnsupported()),
    // Blobs come with the reads that name them.
    blob: async (hash) => runs.blobs.get(hash) ?? null,
  };
}

/** @throws {WorkflowError} `VALUE_UNSERIALIZABLE` for what Restate cannot carry: it would be retried for ever. */
function checkLength(what: string, { length }: string): void {
  if (length > MAX_TEXT_LENGTH) throw textTooLong(what, length, MAX_TEXT_LENGTH);
}

/** Starts and reads of runs. */
class RemoteRuns {
  readonly blobs: Map<string, string> = new Map();
  /** `null` without records: then no run begins together with one. */
  readonly starts: Starts | null;
  readonly #setup: RestateStoreSetup;
  readonly #attachments: Attachments;
  /** Runs as returned by their start: a run that has ended by then needs no second request. */
  readonly #answered: Map<string, StoredRun> = new Map();
  /** Reads under way, shared by callers of the same turn of the event loop. */
  readonly #reads: Map<string, Promise<unknown>> = new Map();
  /** Number of starts without an answer. */
  #starting = 0;

  constructor(setup: RestateStoreSetup, attachments: Attachments) {
    this.#setup = setup;
    this.#attachments = attachments;
    this.starts = setup.records === null ? null : new Starts(setup.records, (key, record) => this.#start(key, record));
  }

  /** Drops all answers: an id may belong to another run now. */
  forget(): void {
    this.#answered.clear();
  }

  async commit({ key, create, snapshot, records, posts }: RunCommit): Promise<CommitResult> {
    if (create === undefined) return { status: "fenced" };
    if (snapshot !== undefined) throw unsupported("A fork", "Fork the run in a runtime with a store.");
    if (posts !== undefined) throw movingUnsupported();
    if (create.queue !== null) throw queueUnsupported();
    const { lease: _, ...record } = create;
    checkLength("The input of the run", record.input);
    if (records === undefined) return this.#start(key, record);
    if (this.starts === null) throw recordsUnsupported();
    const run = await this.find(key);
    return run === null ? this.starts.begin(key, record, records) : { status: "exists", run };
  }

  async #start(key: RunKey, record: NewRunRecord): Promise<CommitResult> {
    const over = new AbortController();
    const started = this.#setup.ingress.call<StartAnswer>({
      service: RUN,
      handler: "start",
      key,
      message: { record },
      signal: over.signal,
    });
    // A failed invocation, or a lost answer, says nothing about a run that has begun.
    const answered = started.catch(async (error: unknown) => {
      if (over.signal.aborted || (await this.#hasBegun(key))) return null;
      throw error;
    });
    this.#starting++;
    const answer = await Promise.race([answered, this.#begun(key, over.signal)]).finally(() => {
      this.#starting--;
      over.abort();
    });
    if (answer === null) return { status: "stored" };
    if (answer.status === "exists") return answer;
    this.#remember(key, { ...answer.run, input: record.input });
    return { status: "stored" };
  }

  /** Resolves with `null` once the run has begun and its start has no answer yet. */
  async #begun(key: RunKey, signal: AbortSignal): Promise<null> {
    for (let waitMs = FIRST_LOOK_MS + LOOK_LATER_MS * (this.#starting - 1); ; waitMs = Math.min(2 * waitMs, 1_000)) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (signal.aborted || (await this.#hasBegun(key))) return null;
    }
  }

  /** `false` if the read fails: then the start itself reports the reason. */
  async #hasBegun(key: RunKey): Promise<boolean> {
    // The row would contain the input, which may be large.
    return this.read<boolean>(key, { what: "begun" }).catch(() => false);
  }

  /** Keeps the run for the next read only: later, the id may belong to another run. */
  #remember(key: RunKey, run: StoredRun): void {
    if (run.outcome === null) return;
    const id = `${key.tenant}\0${key.runId}`;
    this.#answered.set(id, run);
    setTimeout(() => this.#answered.delete(id), this.#setup.pollMs).unref?.();
  }

  async find(key: RunKey): Promise<StoredRun | null> {
    const id = `${key.tenant}\0${key.runId}`;
    const known = this.#answered.get(id);
    this.#answered.delete(id);
    const begun = known ?? (await this.read<StoredRun | null>(key, { what: "run" }));
    if (begun !== null || this.starts === null) return begun;
    // Between the two reads, the start may have reached Restate.
    return (await this.starts.find(key)) ?? this.read(key, { what: "run" });
  }

  read<Value>(key: RunKey, message: ReadMessage): Promise<Value> {
    const id = JSON.stringify([key.tenant, key.runId, message]);
    const known = this.#reads.get(id) ?? this.#ask(key, message);
    if (!this.#reads.has(id)) setImmediate(() => this.#reads.delete(id));
    this.#reads.set(id, known);
    return known as Promise<Value>;
  }

  async #ask<Value>(key: RunKey, message: ReadMessage): Promise<Value> {
    const { value, blobs, active } = await this.#setup.ingress.call<ReadAnswer<Value>>({
      service: RUN,
      handler: "read",
      key,
      message,
    });
    if (active !== undefined) this.#attachments.noteRead(key, active);
    for (const { hash, text } of blobs) this.blobs.set(hash, text);
    for (const hash of this.blobs.keys()) if (this.blobs.size > MOST_BLOBS) this.blobs.delete(hash);
    return value;
  }
}
