import type { AttemptCore } from "../../../run/run.types.js";
import type { RecordEdit, RecordValue, StepRecords } from "../../api/runtime-records.types.js";
import { checkNames } from "../../options/check-names.js";
import type { RecordKey, RecordWrite, RunStore, StoredRecord } from "../../store/run-store.types.js";
import { recordConflict, recordText, recordValue } from "../../text/record-text.js";
import type { RecordQueue, RecordTurn } from "./record-queue.js";

export interface RecordAccess {
  readonly store: Pick<RunStore, "record">;
  readonly turns: RecordQueue;
  readonly tenant: string;
}

/** The records that one attempt has read and will write. It ends with the attempt, or with the commit that stores it. */
export class AttemptRecords implements StepRecords {
  readonly #attempt: AttemptCore;
  readonly #access: RecordAccess;
  readonly #read: Map<string, Promise<StoredRecord | null>> = new Map();
  /** Versions of the records that were read. */
  readonly #versions: Map<string, number> = new Map();
  readonly #writes: Map<string, RecordWrite> = new Map();
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
    this.#attempt.assertAlive();
    checkNames({ kind, id });
    const key = { tenant: this.#access.tenant, kind, id };
    const name = textOf(key);
    const own = this.#writes.get(name);
    if (own !== undefined)
      return own.text === null ? null : recordValue(key, { version: own.expected + 1, text: own.text });
    let reading = this.#read.get(name);
    if (reading === undefined) this.#read.set(name, (reading = this.#readStored(key, name)));
    const record = await reading;
    return record === null ? null : recordValue(key, record);
  }

  write(edit: RecordEdit): void {
    this.#attempt.assertAlive();
    const key = { tenant: this.#access.tenant, kind: edit.kind, id: edit.id };
    const name = textOf(key);
    const own = this.#writes.get(name);
    const version = own === undefined ? this.#versions.get(name) : own.text === null ? 0 : own.expected + 1;
    if (version === undefined) throw recordConflict([key], "it was written without having been read", readFirst);
    if (version !== edit.expected)
      throw recordConflict([key], `it has version ${version}, and ${edit.expected} was expected`, readFirst);
    this.#writes.set(name, { ...key, expected: own?.expected ?? version, text: recordText(edit) });
  }

  get writes(): readonly RecordWrite[] {
    return [...this.#writes.values()];
  }

  /** Called when this attempt has returned. Tells whether its end has to be stored with records. */
  submit(attempt: number): boolean {
    if (attempt !== this.#attempt.number) return false;
    this.#isSubmitted = this.#writes.size > 0;
    return this.#isSubmitted;
  }

  writesAnyOf(keys: readonly RecordKey[]): boolean {
    return keys.some((key) => this.#writes.has(textOf(key)));
  }

  /** Ends its turns: steps that wait for one of the records need not wait for this attempt. */
  giveUpTurns(): void {
    for (const turn of this.#turns) turn.end();
    this.#turns.clear();
  }

  /** The writes are stored, or never will be. */
  settle(): void {
    this.giveUpTurns();
    this.#writes.clear();
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
    this.#versions.set(name, record?.version ?? 0);
    return record;
  }
}

function textOf({ tenant, kind, id }: RecordKey): string {
  return JSON.stringify([tenant, kind, id]);
}

const readFirst = "Pass the version that `await recordsOf(ctx).read(kind, id)` returned in this attempt; 0 for null.";
