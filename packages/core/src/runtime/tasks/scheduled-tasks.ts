/**
 * Handles work that is due at a time and is no run yet, and keeps the list of it. Also starts that count once per key and time: a record names the run, and the commit that creates the run writes it.
 *
 * @module
 */

import { toMs } from "../../value/duration.js";
import { oneOf } from "../../value/option-rules.js";
import { optionsOf, refuseOptions } from "../../value/options.js";
import type { DedupeOptions, RuntimeRunOptions } from "../api/runtime.types.js";
import { checkCallOptions, checkNames } from "../options/call-options.js";
import { idOf } from "../store/run-key.js";
import type { RecordKey, RecordWrite, RunKey, RunStore, StoredStatus } from "../store/run-store.types.js";
import { allPages } from "../store/store-kit.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind, timeText } from "../text/record-text.js";
import { createOnly, type NewRunRequest, newRun } from "../worker/commit/commit.js";
import type { RuntimeParts } from "../worker/workflows/registered-workflows.js";

const withoutResult: readonly StoredStatus[] = ["failed", "timedOut", "cancelled"];

/** Added to the present time, the sum is still a date. */
const LONGEST_MS = 1e15;

export interface ResolvedDedupe {
  readonly key: string;
  readonly forMs: number;
  readonly failed: "keep" | "replace";
}

/** The record of a key. */
interface StoredDedupe {
  readonly runId: string;
  readonly untilMs: number;
  readonly expiry: string;
}

const failedRule = oneOf("keep", "replace");

/** @throws {WorkflowError} `OPTION_INVALID` */
export function resolveDedupe(dedupe: DedupeOptions, { runId, startAt }: RuntimeRunOptions): ResolvedDedupe {
  checkCallOptions("run.dedupe", dedupe);
  const { failed = "keep" } = dedupe;
  const problems = [
    ...failedRule(failed, "dedupe.failed"),
    ...(runId === undefined ? [] : ["`dedupe` decides which run it is: it goes with no `runId`"]),
    ...(startAt === undefined ? [] : ["`dedupe` decides when it starts: it goes with no `startAt`"]),
  ];
  const forMs = toMs(dedupe.for, "dedupe.for");
  if (forMs === 0) problems.push("`dedupe.for` is 0: it would dedupe nothing");
  if (forMs > LONGEST_MS) problems.push("`dedupe.for` ends after the last valid date");
  refuseOptions(optionsOf("`run`"), problems);
  checkNames({ key: dedupe.key });
  return { key: dedupe.key, forMs, failed };
}

interface Deduping extends Pick<RuntimeParts, "store" | "clock"> {
  /** Runs in memory here. `left` resolves when everything of the run is stored. */
  readonly live: ReadonlyMap<string, { readonly phase: string; readonly left: Promise<void> }>;
}

/**
 * Returns the id of the run that counts, once that is stored.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `VALUE_UNSERIALIZABLE`
 */
export async function startOnce(
  setup: Deduping,
  request: NewRunRequest,
  { key, forMs, failed }: ResolvedDedupe,
): Promise<string> {
  const { store, clock } = setup;
  const { tenant, runId } = request.key;
  const of = { tenant, kind: ownKind("dedupe"), id: store.hash(JSON.stringify([request.workflow.name, key])) };
  const commit = createOnly(newRun(request));
  for (;;) {
    const record = await store.record(of);
    const first = record === null ? null : (parseJson(record.text, `the start ${of.id}`) as StoredDedupe);
    const isWithin = first !== null && clock.now() < first.untilMs;
    if (isWithin && (await counts(setup, { tenant, runId: first.runId }, failed))) return first.runId;
    const untilMs = clock.now() + forMs;
    const expected = record?.version ?? 0;
    const expiry = addExpiry(store, { ...of, version: expected + 1 }, untilMs);
    const start: StoredDedupe = { runId, untilMs, expiry: expiry.id };
    const records = [
      ...(commit.records ?? []),
      { ...of, expected, text: JSON.stringify(start) },
      ...(first === null ? [] : [removeExpiry(first.expiry)]),
      expiry,
    ];
    const [result] = await store.commit([{ ...commit, records }]);
    if (result?.status === "stored") return runId;
    // Another process was faster.
  }
}

/** A deleted run does not count. */
async function counts({ store, live }: Deduping, key: RunKey, failed: ResolvedDedupe["failed"]): Promise<boolean> {
  const here = live.get(idOf(key));
  if (failed === "replace" && here !== undefined && here.phase !== "live") await here.left; // its end is stored then
  const run = await store.run(key);
  return run !== null && (failed === "keep" || !withoutResult.includes(run.status));
}

// ---- records that expire: a list names them, and executing processes delete them

const EXPIRY = ownKind("expiry");

interface Expiring extends RecordKey {
  readonly version: number;
}

/** The write of an entry, to be done together with that version of the record. Its `id` is the key of the entry. */
function addExpiry(store: RunStore, of: Expiring, atMs: number): RecordWrite {
  const id = `${timeText(atMs)} ${store.hash(JSON.stringify([of.tenant, of.kind, of.id, of.version]))}`;
  return { tenant: TENANT, kind: EXPIRY, id, expected: 0, text: JSON.stringify(of) };
}

function removeExpiry(key: string): RecordWrite {
  return { tenant: TENANT, kind: EXPIRY, id: key, expected: 1, text: null };
}

/** Deletes expired records. */
async function sweepExpired(store: RunStore, nowMs: number): Promise<void> {
  for (;;) {
    const { records } = await store.records({ tenant: TENANT, kind: EXPIRY, limit: PAGE });
    const over = records.filter(({ id }) => id < timeText(nowMs));
    for (const { id, text } of over) {
      const { version, ...key } = parseJson(text, `expiry "${id}"`) as Expiring;
      const conflicts = await store.writeRecords([{ ...key, expected: version, text: null }, removeExpiry(id)]);
      // Another process has done the same, or the record was written by hand.
      if (conflicts.length > 0) await store.writeRecords([removeExpiry(id)]);
    }
    if (over.length < PAGE) return;
  }
}

export interface ScheduledTasksSetup extends RuntimeParts {
  /** Milliseconds for which a failed entry is left alone here. */
  readonly backOffMs: number;
  /** Starts what is due of a schedule. Returns when it is due again; `null` for never, or if a change of a run triggers it. */
  readonly fire: (entry: DueEntry) => Promise<number | null>;
}

const SWEEP_MS = 60_000;

export class ScheduledTasks {
  readonly #setup: ScheduledTasksSetup;
  /** Failed entries, and until when they are left alone. */
  readonly #leftAlone: Map<string, number> = new Map();
  /** Runs whose end an entry waits for. */
  readonly #awaited: Set<string> = new Set();
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(setup: ScheduledTasksSetup) {
    this.#setup = setup;
  }

  /** Returns whether an entry waits for the end of the run with this {@link idOf}. */
  awaits(id: string): boolean {
    return this.#awaited.has(id);
  }

  /** Handles all due entries. Returns when the next entry is due; `null` if there is none. */
  async round(): Promise<number | null> {
    this.#awaited.clear();
    const first = await this.#pass();
    // An entry that was just handled may wait for a run now.
    const { wakeAtMs } = first.isDone ? await this.#pass() : first;
    return Number.isFinite(wakeAtMs) ? wakeAtMs : null;
  }

  async #pass(): Promise<{ readonly wakeAtMs: number; readonly isDone: boolean }> {
    const { clock } = this.#setup;
    let wakeAtMs = Number.POSITIVE_INFINITY;
    let isDone = false;
    const seen = new Set<string>();
    for await (const entry of this.#entries()) {
      seen.add(entry.key);
      if (entry.afterRun === null && entry.atMs > clock.now()) {
        wakeAtMs = Math.min(wakeAtMs, entry.atMs);
        break; // the other entries come later
      }
      // Noted before the look: an end in between would be missed.
      if (entry.afterRun !== null) this.#awaited.add(idOf({ tenant: entry.tenant, runId: entry.afterRun }));
      const isDue = await this.#isDue(entry);
      isDone ||= isDue;
      const againAtMs = isDue ? await this.#take(entry) : entry.atMs;
      wakeAtMs = Math.min(wakeAtMs, againAtMs ?? Number.POSITIVE_INFINITY);
    }
    for (const key of this.#leftAlone.keys()) if (!seen.has(key)) this.#leftAlone.delete(key);
    return { wakeAtMs, isDone };
  }

  /** Deletes expired records: at most once a minute, by any clock. */
  async sweep(): Promise<void> {
    const { store, clock } = this.#setup;
    const nowMs = clock.now();
    if (Math.abs(nowMs - this.#sweptAtMs) < SWEEP_MS) return;
    await sweepExpired(store, nowMs);
    this.#sweptAtMs = nowMs;
  }

  /** Returns when `round` has something to do; a past time if it has now. It only reads. */
  async nextAtMs(): Promise<number | null> {
    let nextAtMs: number | null = null;
    for await (const entry of this.#entries()) {
      const atMs = (await this.#isDue(entry)) ? Math.min(entry.atMs, this.#setup.clock.now()) : entry.atMs;
      nextAtMs = Math.min(nextAtMs ?? atMs, atMs);
      if (entry.afterRun === null) break;
    }
    return nextAtMs;
  }

  /** Entries of the workflows that are registered here, by time; those that wait for a run come first. */
  async *#entries(): AsyncGenerator<StoredDueEntry, void> {
    const { store, workflows } = this.#setup;
    const query = { tenant: TENANT, kind: DUE, limit: PAGE };
    for await (const { records } of allPages((from) => store.records({ ...query, ...from })))
      for (const { id, text } of records) {
        const entry = parseJson(text, `due entry "${id}"`) as DueEntry;
        if (workflows.find(entry.workflow) !== undefined) yield { ...entry, key: id };
      }
  }

  async #isDue({ tenant, atMs, afterRun }: StoredDueEntry): Promise<boolean> {
    const { store, clock } = this.#setup;
    if (atMs <= clock.now()) return true;
    if (afterRun === null) return false;
    const run = await store.run({ tenant, runId: afterRun });
    return run === null || run.outcome !== null;
  }

  async #take(entry: StoredDueEntry): Promise<number | null> {
    const { fire, clock, log, backOffMs } = this.#setup;
    const untilMs = this.#leftAlone.get(entry.key) ?? 0;
    // The upper bound keeps a clock that was set back from prolonging the pause.
    if (untilMs > clock.now() && untilMs <= clock.now() + backOffMs) return untilMs;
    this.#leftAlone.delete(entry.key);
    try {
      return await fire(entry);
    } catch (error) {
      const againAtMs = clock.now() + backOffMs;
      this.#leftAlone.set(entry.key, againAtMs);
      log.error(`A run of the schedule "${entry.id}" could not be started; it will be retried.`, error);
      return againAtMs;
    }
  }
}

// ---- the list of work that is due at a time and is no run yet: occurrences of schedules
// An entry is a record whose id begins with its time, so reading the due entries does not read the others. Each entry belongs
// to another record (its source), and changes in the same transaction: a second process finds another version there.

const DUE = ownKind("due");
/** One list for all tenants. */
const TENANT = "";
const PAGE = 100;

export interface DueEntry {
  readonly tenant: string;
  /** Id of the source. */
  readonly id: string;
  readonly workflow: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Run whose end makes the entry due earlier; `null` for none. */
  readonly afterRun: string | null;
}

/** An entry as it is stored. */
interface StoredDueEntry extends DueEntry {
  /** Unique, also among entries of the same source. */
  readonly key: string;
}

/**
 * The write of an entry. Its `id` is the key of the entry.
 *
 * @param version Version of the source that is written together with the entry.
 */
export function addDue(store: RunStore, entry: DueEntry, version: number): RecordWrite {
  const source = JSON.stringify([entry.tenant, entry.id, version]);
  const id = `${timeText(entry.afterRun === null ? entry.atMs : 0)} ${store.hash(source)}`;
  return { tenant: TENANT, kind: DUE, id, expected: 0, text: JSON.stringify(entry) };
}

export function removeDue(key: string): RecordWrite {
  return { tenant: TENANT, kind: DUE, id: key, expected: 1, text: null };
}
