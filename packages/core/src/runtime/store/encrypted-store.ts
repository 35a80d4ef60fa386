/**
 * `encryptedStore`: a store whose texts are encrypted before they reach it.
 *
 * The texts of a store: which there are, and the place of each.
 *
 * @module
 */

import { WorkflowError } from "../../errors/workflow-error.js";
import { type Rules, required, valueRule } from "../../value/option-rules.js";
import { checkOptions } from "../../value/options.js";
import type {
  ClaimedRun,
  NewRunRecord,
  PostedMessage,
  PostResult,
  RecordKey,
  RecordWrite,
  RunCommit,
  RunKey,
  RunPage,
  RunQuery,
  RunStore,
  StoredEvent,
  StoredJournal,
  StoredPost,
  StoredRecord,
  StoredRun,
  StoredSnapshot,
  TickBatch,
} from "./run-store.types.js";
import type { Measure, StatisticsRow } from "./statistics.types.js";
import { matchesSearch, searchWindow, shortestJournals, wrapStore } from "./store-kit.js";
import { fromBase64, IndexCipher, type StoreKey, TextCipher, type TextPlace } from "./text-cipher.js";

/** `open…` decrypts what the store has returned; the others encrypt what it is given. */
class StoreTexts {
  readonly #cipher: TextCipher;
  readonly #index: IndexCipher;

  constructor(cipher: TextCipher, index: IndexCipher) {
    this.#cipher = cipher;
    this.#index = index;
  }

  #open<Text extends string | null>(text: Text, place: TextPlace): Text {
    return (text === null ? null : this.#cipher.decrypt(text, place)) as Text;
  }

  /**
   * Decrypts one text of many, like {@link #open}. A reader of its run alone gets the error, and readers of the others do not
   * fail with it.
   */
  #openListed<Text extends string | null>(text: Text, place: TextPlace): Text {
    try {
      return this.#open(text, place);
    } catch (error) {
      if (WorkflowError.is(error, "STORE_CORRUPT")) return unreadable as Text;
      throw error;
    }
  }

  openRun<Run extends StoredRun>(run: Run): Run {
    return this.#openRun(run, (text, which) => this.#open(text, placeOf(run.key, which)));
  }

  /** Decrypts a run; {@link unreadable} replaces a text that cannot be decrypted. */
  openListedRun<Run extends StoredRun>(run: Run): Run {
    return this.#openRun(run, (text, which) => this.#openListed(text, placeOf(run.key, which)));
  }

  #openRun<Run extends StoredRun>(
    run: Run,
    open: <Text extends string | null>(text: Text, which: string) => Text,
  ): Run {
    const { input, outcome, waiting } = run;
    return {
      ...run,
      input: open(input, "input"),
      outcome: open(outcome, "outcome"),
      waiting: open(waiting, "waiting"),
    };
  }

  openClaimed({ run, posts }: ClaimedRun): ClaimedRun {
    return { run: this.openListedRun(run), posts: posts.map((post) => this.openListedPost(post)) };
  }

  openSnapshot(key: RunKey, snapshot: StoredSnapshot): StoredSnapshot {
    return { ...snapshot, text: this.#open(snapshot.text, placeOf(key, "snapshot", snapshot.tick)) };
  }

  openTicks(key: RunKey, batch: TickBatch): TickBatch {
    return { ...batch, text: this.#open(batch.text, placeOf(key, "ticks", batch.first)) };
  }

  openJournal(journal: StoredJournal): StoredJournal {
    const { key, snapshot } = journal;
    return {
      ...journal,
      snapshot: snapshot && this.openSnapshot(key, snapshot),
      ticks: journal.ticks.map((batch) => this.openTicks(key, batch)),
    };
  }

  openEvent(key: RunKey, event: StoredEvent): StoredEvent {
    return { ...event, text: this.#open(event.text, placeOf(key, "event", event.sequence)) };
  }

  openListedPost<Post extends StoredPost>(post: Post): Post {
    return { ...post, text: this.#openListed(post.text, placeOf(post.key, "post")) };
  }

  openReceipt<Receipt extends string | null>(key: RunKey, receipt: Receipt): Receipt {
    return this.#open(receipt, placeOf(key, "receipt"));
  }

  openPosted(key: RunKey, result: PostResult): PostResult {
    if (result.status === "ended") return { ...result, run: this.openRun(result.run) };
    return result.status === "duplicate" ? { ...result, receipt: this.openReceipt(key, result.receipt) } : result;
  }

  openRecord<Record extends StoredRecord>(key: RecordKey, record: Record): Record {
    return { ...record, text: this.#open(record.text, recordPlace(key)) };
  }

  openBlob(hash: string, text: string | null): string | null {
    return this.#open(text, blobPlace(hash));
  }

  post(key: RunKey, message: PostedMessage): PostedMessage {
    return { ...message, text: this.#cipher.encrypt(message.text, placeOf(key, "post")) };
  }

  #measure(tenant: string, measure: Measure): Measure {
    const { failure } = measure;
    if (failure === null) return measure;
    const text = this.#cipher.encrypt(failure.text, failurePlace(tenant, failure.id));
    return { ...measure, failure: { ...failure, text } };
  }

  openStatistics(tenant: string, row: StatisticsRow): StatisticsRow {
    const { failure } = row;
    if (failure === null) return row;
    const text = this.#openListed(failure.text, failurePlace(tenant, failure.id));
    return { ...row, failure: { ...failure, text } };
  }

  record(write: RecordWrite): RecordWrite {
    const { text } = write;
    return text === null ? write : { ...write, text: this.#cipher.encrypt(text, recordPlace(write)) };
  }

  #created<Record extends NewRunRecord>({ tenant }: RunKey, record: Record): Record {
    return record.index === undefined ? record : { ...record, index: this.#index.index(tenant, record.index) };
  }

  /** Every text names the same blobs as before, so that the store keeps them as long. */
  commit(commit: RunCommit): RunCommit {
    const { key, create, ticks, events, summary, snapshot, receipts, received, posts, records, blobs = [] } = commit;
    const { measures } = commit;
    const at = (text: string, place: TextPlace): string => this.#cipher.encrypt(text, place, namesIn(text, blobs));
    const close = <Text extends string | null>(text: Text, ...which: TextPlace): Text =>
      (text === null ? null : at(text, placeOf(key, ...which))) as Text;
    const closeReceipt = <Of extends { readonly receipt: string }>(one: Of): Of => ({
      ...one,
      receipt: close(one.receipt, "receipt"),
    });
    return {
      ...commit,
      ...(create && { create: this.#created(key, { ...create, input: close(create.input, "input") }) }),
      ...(ticks && { ticks: { ...ticks, text: close(ticks.text, "ticks", ticks.first) } }),
      ...(events && {
        events: events.map((event) => ({ ...event, text: close(event.text, "event", event.sequence) })),
      }),
      ...(summary && {
        summary: {
          ...summary,
          outcome: close(summary.outcome, "outcome"),
          waiting: close(summary.waiting, "waiting"),
        },
      }),
      ...(measures && { measures: measures.map((measure) => this.#measure(key.tenant, measure)) }),
      ...(snapshot && { snapshot: { ...snapshot, text: close(snapshot.text, "snapshot", snapshot.tick) } }),
      ...(receipts && { receipts: receipts.map(closeReceipt) }),
      ...(received && { received: received.map(closeReceipt) }),
      ...(posts && { posts: posts.map((post) => this.post(key, post)) }),
      ...(records && { records: records.map((write) => this.record(write)) }),
      ...(commit.blobs && { blobs: blobs.map(({ hash, text }) => ({ hash, text: at(text, blobPlace(hash)) })) }),
    };
  }
}

/** Placeholder of a text that cannot be decrypted. No text of a run equals it. */
const unreadable = '"unreadable"';

function placeOf({ tenant, runId }: RunKey, ...which: TextPlace): TextPlace {
  return [tenant, runId, ...which];
}

function recordPlace({ tenant, kind, id }: RecordKey): TextPlace {
  return [tenant, "record", kind, id];
}

/** Runs share kinds of failures, so the place is that of the kind. */
function failurePlace(tenant: string, id: string): TextPlace {
  return [tenant, "failure", id];
}

/** Runs share blobs, so their place is their hash alone. */
function blobPlace(hash: string): TextPlace {
  return ["blob", hash];
}

function namesIn(text: string, blobs: NonNullable<RunCommit["blobs"]>): string[] {
  return blobs.map(({ hash }) => hash).filter((hash) => text.includes(hash));
}

/** Options of `encryptedStore`. */
export interface EncryptionOptions {
  /** Keys, at least one. The first one encrypts, each decrypts: add a new one in front to rotate. Ids are unique. */
  readonly keys: readonly StoreKey[];
  /**
   * Handling of texts that are not encrypted: `"accept"` reads them, for a store that was used without encryption before.
   * Whoever can write into the database can then insert texts.
   *
   * @default "refuse"
   */
  readonly plain?: "refuse" | "accept";
  /**
   * Key of the hashes by which runs are found by their input (`static index`): 32 bytes, or their base64. With another key, runs from
   * before are not found by their input.
   *
   * @default the last of `keys`
   */
  readonly indexKey?: StoreKey["key"];
}

/**
 * Encrypts what a store keeps, with AES-256-GCM: inputs, results, errors, ticks, snapshots, events, messages, records and large values.
 * The tenant, the id of the run and the place of each text are authenticated with it.
 *
 * These stay readable, because a store searches and sorts by them: tenants, ids of runs and records, names of workflows and queues,
 * keys of queues, labels, versions, statuses, times, idempotency keys, sizes, names of steps that have ended, hashes of large values,
 * and hashes of the messages of failures without their data. A search reads and decrypts the runs that satisfy its other conditions,
 * page by page. Values of `static index` are stored as hashes with a key: who reads the store sees which runs of a tenant have the same
 * value, and not which.
 *
 * @throws {WorkflowError} `OPTION_INVALID` naming every problem.
 * @example
 * const store = encryptedStore(sqliteStore("runs.db"), { keys: [{ id: "2026", key: process.env.STORE_KEY }] });
 */
export function encryptedStore(store: RunStore, options: EncryptionOptions): RunStore {
  checkOptions("The options of `encryptedStore` are wrong", options, { rules });
  const { keys, plain, indexKey = keys.at(-1)?.key ?? "" } = options;
  const index = new IndexCipher(indexKey);
  const methods = encryptedMethods(store, new StoreTexts(new TextCipher(keys, plain === "accept"), index), index);
  return wrapStore(store, (name, method) => methods[name] ?? method);
}

function isKeyBytes(key: unknown): boolean {
  const bytes = typeof key === "string" ? fromBase64(key) : (key as Uint8Array | null | undefined);
  return bytes?.length === 32;
}

const isKey = ({ id, key }: StoreKey): boolean => /^[\w-]{1,32}$/.test(id) && isKeyBytes(key);

const rules: Rules<EncryptionOptions> = {
  keys: required(
    valueRule(
      (keys) =>
        Array.isArray(keys) &&
        keys.length > 0 &&
        keys.every((one) => isKey(Object(one) as StoreKey)) &&
        new Set(keys.map(({ id }: StoreKey) => id)).size === keys.length,
      "a list of keys `{ id, key }` with different ids, each of 32 bytes or their base64",
    ),
  ),
  indexKey: valueRule(isKeyBytes, "32 bytes, or their base64"),
  plain: valueRule((plain) => plain === "refuse" || plain === "accept", '"refuse" or "accept"'),
};

type Methods = { readonly [Name in keyof RunStore]?: RunStore[Name] };

function encryptedMethods(store: RunStore, texts: StoreTexts, index: IndexCipher): Methods {
  const { histogram, journals, statistics } = store;
  const list = async (query: RunQuery): Promise<RunPage> => {
    const page = await store.list(index.query(query));
    return { ...page, runs: page.runs.map((run) => texts.openListedRun(run)) };
  };
  return {
    async commit(commits) {
      const results = await store.commit(commits.map((commit) => texts.commit(commit)));
      return results.map((one) => (one.status === "exists" ? { ...one, run: texts.openRun(one.run) } : one));
    },
    claim: (key, lease) => opened(store.claim(key, lease), (claimed) => texts.openClaimed(claimed)),
    claimDue: async (lease) => (await store.claimDue(lease)).map((claimed) => texts.openClaimed(claimed)),
    run: (key) => opened(store.run(key), (run) => texts.openRun(run)),
    list: (query) => (query.search === undefined ? list(query) : search(list, query, query.search)),
    snapshot: (key, atOrBelow) =>
      opened(store.snapshot(key, atOrBelow), (snapshot) => texts.openSnapshot(key, snapshot)),
    ticks: async (key, range) => (await store.ticks(key, range)).map((batch) => texts.openTicks(key, batch)),
    events: async (key, range) => (await store.events(key, range)).map((event) => texts.openEvent(key, event)),
    post: async (key, message) => texts.openPosted(key, await store.post(key, texts.post(key, message))),
    posts: async (of) => (await store.posts(of)).map((post) => texts.openListedPost(post)),
    receipt: async (key, of) => texts.openReceipt(key, await store.receipt(key, of)),
    received: async (key, range) =>
      (await store.received(key, range)).map((one) => ({ ...one, receipt: texts.openReceipt(key, one.receipt) })),
    record: (key) => opened(store.record(key), (record) => texts.openRecord(key, record)),
    async records(query) {
      const page = await store.records(query);
      return { ...page, records: page.records.map((record) => texts.openRecord(record, record)) };
    },
    writeRecords: async (writes, options) =>
      store.writeRecords(
        writes.map((write) => texts.record(write)),
        options,
      ),
    blob: async (hash) => texts.openBlob(hash, await store.blob(hash)),
    ...(histogram && { histogram: (query) => histogram.call(store, index.query(query)) }),
    ...(statistics && {
      statistics: async (query) =>
        (await statistics.call(store, query)).map((row) => texts.openStatistics(query.tenant, row)),
    }),
    ...(journals && {
      journals: async (keys, maxLength) => {
        // Encrypted texts are longer: what they hold decides which ones fit.
        const read = await journals.call(store, keys, 2 * maxLength + 1_000 * keys.length);
        return shortestJournals(
          read.map((journal) => texts.openJournal(journal)),
          maxLength,
        );
      },
    }),
  };
}

/** Opens what is read; `null` if there is nothing. */
async function opened<Stored>(
  reading: Promise<Stored | null>,
  open: (stored: Stored) => Stored,
): Promise<Stored | null> {
  const stored = await reading;
  return stored === null ? null : open(stored);
}

/** The store cannot look for what it cannot read: it returns the runs that satisfy the other conditions. */
async function search(
  list: (query: RunQuery) => Promise<RunPage>,
  { search: _, ...query }: RunQuery,
  wanted: string,
): Promise<RunPage> {
  const runs: StoredRun[] = [];
  let { cursor = null } = query as { readonly cursor?: string | null };
  for (let looked = 0; ; ) {
    const page = await list({ ...query, limit: query.limit - runs.length, ...(cursor !== null && { cursor }) });
    runs.push(...page.runs.filter((run) => matchesSearch(run, wanted)));
    looked += page.runs.length;
    cursor = page.cursor;
    if (cursor === null || runs.length === query.limit || looked >= searchWindow) return { runs, cursor };
  }
}
