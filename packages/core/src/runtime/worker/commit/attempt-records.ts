/**
 * Records that attempts update: the updates of one attempt, turns at a record, and the updates of one commit.
 *
 * @module
 */

import { type AttemptCore, type Clock, hostCall } from "../../../host.js";
import { Deferred } from "../../../system/deferred.js";
import { assertFunction } from "../../../value/options.js";
import type { RecordValue, StepRecords } from "../../api/runtime-records.types.js";
import { checkNames } from "../../options/call-options.js";
import type { RecordKey, RecordWrite, RunStore, StoredRecord } from "../../store/run-store.types.js";
import {
  type RecordChange,
  recordContent,
  recordName,
  recordValue,
  updatedBy,
  updatedText,
} from "../../text/record-text.js";

export interface RecordAccess {
  readonly store: Pick<RunStore, "record">;
  readonly turns: RecordQueue;
  readonly tenant: string;
}

/** The records that one attempt has read and will update. It ends with the attempt, or with the commit that stores it. */
export class AttemptRecords implements StepRecords {
  readonly #attempt: AttemptCore;
  readonly #access: RecordAccess;
  /** Records that were read, until the attempt waits for something; then those that it has updated. */
  readonly #read: Map<string, Promise<UpdatedRecord>> = new Map();
  readonly #updated: Set<UpdatedRecord> = new Set();
  readonly #turns: Set<RecordTurn> = new Set();
  /** `true` if the end of the step is on its way to the store. */
  #isSubmitted = false;

  constructor(attempt: AttemptCore, access: RecordAccess) {
    this.#attempt = attempt;
    this.#access = access;
    attempt.onEnd(() => {
      if (!this.#isSubmitted) this.settle();
    });
  }

  get tenant(): string {
    return this.#access.tenant;
  }

  async read(kind: string, id: string): Promise<RecordValue | null> {
    const { key, stored, changes, text } = await this.#recordOf(kind, id);
    if (changes.length === 0) return stored === null ? null : recordValue(key, stored);
    return typeof text === "string" ? recordValue(key, { version: (stored?.version ?? 0) + 1, text }) : null;
  }

  update<Value>(
    kind: string,
    id: string,
    change: (current: Value | undefined) => Value | undefined,
  ): Promise<Value | undefined> {
    const check = () => assertFunction(change, "change");
    return hostCall(this.#attempt, check, () => this.#update(kind, id, change as RecordChange)) as Promise<
      Value | undefined
    >;
  }

  /** Records with their updates. */
  get updated(): Iterable<UpdatedRecord> {
    return this.#updated;
  }

  /** Called when this attempt has returned. Returns whether its end has to be stored with records. */
  submit(attempt: number): boolean {
    if (attempt !== this.#attempt.number) return false;
    this.#isSubmitted = this.#updated.size > 0;
    return this.#isSubmitted;
  }

  /**
   * The attempt waits for something. Its turns end: steps that wait for one of the records need not wait for this attempt. Others may
   * change the records meanwhile, so they are read again, except those that this attempt has updated.
   */
  suspend(): void {
    this.#endTurns();
    const updated = new Set([...this.#updated].map(({ key }) => recordName(key)));
    for (const name of this.#read.keys()) if (!updated.has(name)) this.#read.delete(name);
  }

  /** The updates are stored, or never will be. */
  settle(): void {
    this.#endTurns();
    this.#updated.clear();
  }

  #endTurns(): void {
    for (const turn of this.#turns) turn.end();
    this.#turns.clear();
  }

  async #update(kind: string, id: string, change: RecordChange): Promise<unknown> {
    const record = await this.#recordOf(kind, id);
    const { key, stored, changes } = record;
    const before = changes.length === 0 ? stored?.text : record.text;
    const { value, text } = updatedBy(key, change, recordContent(key, before ?? null));
    changes.push(change);
    record.text = text;
    this.#updated.add(record);
    return value;
  }

  async #recordOf(kind: string, id: string): Promise<UpdatedRecord> {
    this.#attempt.assertAlive();
    checkNames({ kind, id });
    const key = { tenant: this.#access.tenant, kind, id };
    const name = recordName(key);
    let reading = this.#read.get(name);
    if (reading === undefined) {
      reading = this.#readStored(key, name).then((stored) => ({ key, stored, changes: [], text: undefined }));
      this.#read.set(name, reading);
    }
    return reading;
  }

  async #readStored(key: RecordKey, name: string): Promise<StoredRecord | null> {
    const { store, turns } = this.#access;
    // An attempt with a turn does not wait for another turn: two such attempts could wait for each other.
    if (this.#turns.size === 0 || !turns.isTaken(name)) {
      const turn = turns.take(name);
      this.#turns.add(turn);
      await turn.come;
      this.#attempt.assertAlive();
    }
    const record = await store.record(key);
    this.#attempt.assertAlive();
    return record;
  }
}

// ---- turns at a record
// Writers of one record take turns, so that those of one process do not conflict with each other. A turn is a courtesy and
// not a lock: versions alone decide what is stored. So a step that has waited long continues without its turn.

const PATIENCE_MS = 10_000;

/** One place in the queue of a record. */
interface RecordTurn {
  /** Resolves when the turn has come, was abandoned, or takes too long. */
  readonly come: Promise<unknown>;
  /** Leaves the queue. May be called again. */
  end(): void;
}

export class RecordQueue {
  readonly #clock: Clock;
  /** Per record, resolves when the last turn and all turns before it are over. */
  readonly #last: Map<string, Promise<unknown>> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isTaken(record: string): boolean {
    return this.#last.has(record);
  }

  take(record: string): RecordTurn {
    const before = this.#last.get(record);
    const { promise, resolve } = new Deferred<void>();
    const last = Promise.all([before, promise]).then(() => {
      if (this.#last.get(record) === last) this.#last.delete(record);
    });
    this.#last.set(record, last);
    if (before === undefined) return { come: Promise.resolve(), end: resolve };
    const callOff = this.#clock.setTimer(this.#clock.now() + PATIENCE_MS, resolve);
    return { come: Promise.race([before, promise]).then(callOff), end: resolve };
  }
}

// ---- the record updates of one commit: one write for each record, however many steps update it
// The functions are pure, so that they can be called again with what is stored: after a conflict, and where several steps
// update the same record in one commit.

/** A record that a step or a commit changes. */
interface UpdatedRecord {
  readonly key: RecordKey;
  /** Record before the changes; `null` for none. */
  stored: StoredRecord | null;
  readonly changes: RecordChange[];
  /** Result of the changes; `null` deletes the record, `undefined` is not known yet. */
  text: string | null | undefined;
}

/** Updates of one attempt. */
interface Updating {
  readonly updated: Iterable<UpdatedRecord>;
  /** Ends its turns. */
  settle(): void;
}

export class RecordUpdates {
  readonly #records: Map<string, UpdatedRecord> = new Map();
  /** Attempts whose turns end with the commit. */
  readonly #attempts: Set<Updating> = new Set();

  add(attempt: Updating): void {
    this.#attempts.add(attempt);
    for (const record of attempt.updated) this.#include(record);
  }

  /** Adds the updates of a later commit, which are made after these. */
  absorb(later: RecordUpdates): void {
    for (const attempt of later.#attempts) this.#attempts.add(attempt);
    for (const record of later.#records.values()) this.#include(record);
  }

  /** Returns the writes of the store. @throws errors of an update function, or `VALUE_UNSERIALIZABLE`. */
  writes(): RecordWrite[] {
    return [...this.#records.values()].flatMap((record) => {
      const { key, stored, changes } = record;
      if (record.text === undefined) record.text = updatedText(key, stored, changes);
      if (stored === null && record.text === null) return [];
      return [{ ...key, expected: stored?.version ?? 0, text: record.text }];
    });
  }

  /** Reads the records that others have changed. */
  async readAgain(keys: readonly RecordKey[], store: Pick<RunStore, "record">): Promise<void> {
    await Promise.all(
      keys.map(async (key) => {
        const record = this.#records.get(recordName(key));
        if (record === undefined) return;
        record.stored = await store.record(key);
        record.text = undefined;
      }),
    );
  }

  /** Ends the turns of all attempts: their updates are stored, or never will be. */
  settle(): void {
    for (const attempt of this.#attempts) attempt.settle();
    this.#attempts.clear();
    this.#records.clear();
  }

  #include({ key, stored, changes, text }: UpdatedRecord): void {
    const name = recordName(key);
    const known = this.#records.get(name);
    if (known === undefined) this.#records.set(name, { key, stored, changes: [...changes], text });
    else {
      known.changes.push(...changes);
      known.text = undefined;
    }
  }
}
