/**
 * The runs of a host on Restate as a {@link RunStore}: begun, read and messaged over its ingress. A runtime over it has no run in memory.
 *
 * @module
 */
import type { CommitResult, NewRunRecord, PostResult, RunCommit, RunKey, RunStore, StoredRun } from "millrace/runtime";
import { movingUnsupported, queueUnsupported, recordsUnsupported, textTooLong, unsupported } from "../errors.js";
import { sha256 } from "../hash.js";
import { MAX_TEXT_LENGTH, type ReadAnswer, type ReadMessage, type StartAnswer } from "../host/messages.js";
import type { RecordStore } from "../kept/record-store.js";
import { INBOX, RUN } from "../names.js";
import { Attachments } from "./attachments.js";
import type { Ingress } from "./ingress.js";
import { countRuns, listRuns, tenantsOf } from "./list-runs.js";
import { Looks } from "./looks.js";
import { Starts } from "./starts.js";

export interface RestateStoreSetup {
  readonly ingress: Ingress;
  /** Whether lists can be asked for. */
  readonly hasAdmin: boolean;
  readonly pollMs: number;
  /** `null`: there are none. */
  readonly records: RecordStore | null;
}

/** How soon somebody looks whether a run that is not over yet has begun; and for each start that has no answer, how much later. */
const FIRST_LOOK_MS = 50;
const LOOK_LATER_MS = 100;
/** Large values that are kept of what was read. */
const MOST_BLOBS = 1_000;

export function createRestateStore(setup: RestateStoreSetup): RunStore {
  const { ingress, pollMs, records: kept } = setup;
  const looks = new Looks(pollMs);
  const attachments = new Attachments(ingress, (key) => looks.tell(key));
  const runs = new RemoteRuns(setup, attachments);
  const admin = (): Ingress => {
    if (setup.hasAdmin) return ingress;
    throw unsupported(
      "A list of runs",
      "Give `connect` the address of the admin API: `connect({ ingress, admin, workflows })`.",
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
    again: (key, message) => {
      runs.forget();
      looks.soon(key);
      return ingress.call({ service: RUN, handler: "again", key, message });
    },
    // Runs are elsewhere.
    claim: async (_key, { sealed }) => {
      if (sealed === true) throw movingUnsupported();
      return null;
    },
    // None is claimed: those that have begun here go to Restate.
    claimDue: async () => {
      await runs.starts?.finish();
      return [];
    },
    renew: async () => [],
    nextWakeAtMs: async () => runs.starts?.nextAtMs ?? null,
    due: async () => ({ runs: [], wakeAtMs: null }),
    post: async (key, message) => {
      checkLength("The message to the run", message.text);
      const posted = await ingress.call<PostResult>({ service: INBOX, handler: "post", key, message });
      looks.soon(key);
      return posted;
    },
    posts: async () => [],
    tenants: async () => tenantsOf(admin()),
    list: async (query) => listRuns(admin(), query),
    counts: async (query) => countRuns(admin(), query),
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
    // Restate tells a client when an invocation has ended, and of no other change of a run: whoever waits looks again every so often.
    watch: (listener) => {
      const stops = [looks.add(listener), kept?.watch(() => listener(null))];
      return () => {
        for (const stop of stops) stop?.();
      };
    },
    close: async () => {
      attachments.close();
      looks.stop();
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
    // Of what was read last.
    blob: async (hash) => runs.blobs.get(hash) ?? null,
  };
}

/** @throws {WorkflowError} `VALUE_UNSERIALIZABLE`: what Restate cannot carry would be tried again for ever. */
function checkLength(what: string, { length }: string): void {
  if (length > MAX_TEXT_LENGTH) throw textTooLong(what, length, MAX_TEXT_LENGTH);
}

/** Runs as they begin, and as they are read. */
class RemoteRuns {
  readonly blobs: Map<string, string> = new Map();
  /** `null`: no run begins together with records. */
  readonly starts: Starts | null;
  readonly #setup: RestateStoreSetup;
  readonly #attachments: Attachments;
  /** Runs as their start has answered: a run that is over by then needs no second request. */
  readonly #answered: Map<string, StoredRun> = new Map();
  /** Reads that others may share: those of one turn of the host ask for the same. */
  readonly #reads: Map<string, Promise<unknown>> = new Map();
  /** How many starts have no answer. */
  #starting = 0;

  constructor(setup: RestateStoreSetup, attachments: Attachments) {
    this.#setup = setup;
    this.#attachments = attachments;
    this.starts = setup.records === null ? null : new Starts(setup.records, (key, record) => this.#start(key, record));
  }

  /** A run may be another one from here on. */
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
    // An invocation that ended badly, or an answer that was lost, is no news of a run that has begun.
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

  /** Null: the run has begun, and its start has no answer yet. */
  async #begun(key: RunKey, signal: AbortSignal): Promise<null> {
    for (let waitMs = FIRST_LOOK_MS + LOOK_LATER_MS * (this.#starting - 1); ; waitMs = Math.min(2 * waitMs, 1_000)) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (signal.aborted || (await this.#hasBegun(key))) return null;
    }
  }

  /** False where nobody can say: then the start itself says what is wrong. */
  async #hasBegun(key: RunKey): Promise<boolean> {
    // Its row has its input, which may be large.
    return this.read<boolean>(key, { what: "begun" }).catch(() => false);
  }

  /** For whoever asks next: later the run may be another one of that id. */
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
    // Between the two looks Restate may have been told of it.
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
    if (active !== undefined) this.#attachments.look(key, active);
    for (const { hash, text } of blobs) this.blobs.set(hash, text);
    for (const hash of this.blobs.keys()) if (this.blobs.size > MOST_BLOBS) this.blobs.delete(hash);
    return value;
  }
}
