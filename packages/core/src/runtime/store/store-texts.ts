/**
 * The texts of a store: which there are, and the place of each.
 *
 * @module
 */
import { WorkflowError } from "../../errors/workflow-error.js";
import type {
  ClaimedRun,
  Measure,
  NewRunRecord,
  PostedMessage,
  PostResult,
  RecordKey,
  RecordWrite,
  RunCommit,
  RunKey,
  StatisticsRow,
  StoredEvent,
  StoredJournal,
  StoredPost,
  StoredRecord,
  StoredRun,
  StoredSnapshot,
  TickBatch,
} from "./run-store.types.js";
import type { IndexCipher, TextCipher, TextPlace } from "./text-cipher.js";

/** `open…` decrypts what the store has returned; the others encrypt what it is given. */
export class StoreTexts {
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
    return openedRun(run, (text, place) => this.#open(text, place));
  }

  /** Decrypts a run; {@link unreadable} replaces a text that cannot be decrypted. */
  openListedRun<Run extends StoredRun>(run: Run): Run {
    return openedRun(run, (text, place) => this.#openListed(text, place));
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

type Open = <Text extends string | null>(text: Text, place: TextPlace) => Text;

function openedRun<Run extends StoredRun>(run: Run, open: Open): Run {
  const { key, input, outcome, waiting } = run;
  return {
    ...run,
    input: open(input, placeOf(key, "input")),
    outcome: open(outcome, placeOf(key, "outcome")),
    waiting: open(waiting, placeOf(key, "waiting")),
  };
}

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
