import { type AttemptCore, hostCall } from "../../../host.js";
import { assertFunction } from "../../../value/options.js";
import type { RecordValue, StepRecords } from "../../api/runtime-records.types.js";
import { checkNames } from "../../options/check-names.js";
import type { RecordKey, RunStore, StoredRecord } from "../../store/run-store.types.js";
import { type RecordChange, recordContent, recordName, recordValue, updatedBy } from "../../text/record-text.js";
import type { RecordQueue, RecordTurn } from "./record-queue.js";
import type { UpdatedRecord } from "./record-updates.js";

export interface RecordAccess {
  readonly store: Pick<RunStore, "record">;
  readonly turns: RecordQueue;
  readonly tenant: string;
}

/** The records that one attempt has read and will update. It ends with the attempt, or with the commit that stores it. */
export class AttemptRecords implements StepRecords {
  readonly #attempt: AttemptCore;
  readonly #access: RecordAccess;
  /** What was read, until the attempt waits for something; then what it has updated. */
  readonly #read: Map<string, Promise<UpdatedRecord>> = new Map();
  readonly #updated: Set<UpdatedRecord> = new Set();
  readonly #turns: Set<RecordTurn> = new Set();
  /** `true`: the end of the step is on its way to the store. */
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
