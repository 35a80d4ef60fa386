/**
 * Starts that count once per key and time: a record names the run, and the commit that creates the run writes it.
 *
 * @module
 */

import { toMs } from "../../value/duration.js";
import { formatValue } from "../../value/kind.js";
import { optionsOf, refuseOptions } from "../../value/options.js";
import type { DedupeOptions, RuntimeRunOptions } from "../api/runtime.types.js";
import { checkCallOptions, checkNames } from "../options/call-options.js";
import { idOf } from "../store/run-key.js";
import type { RecordKey, RecordWrite, RunKey, RunStore, StoredStatus } from "../store/run-store.types.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind, timeText } from "../text/record-text.js";
import { createOnly, type NewRunRequest, newRun } from "../worker/commit/new-run.js";
import type { RuntimeParts } from "../worker/workflows/registered-workflows.js";

const withoutResult: readonly StoredStatus[] = ["failed", "timedOut", "cancelled"];

/** Added to the present time, the sum is still a date. */
const LONGEST_MS = 1e15;

export interface StartDeduplicatorSetup extends RuntimeParts {
  /** Runs in memory here. `left` resolves when everything of the run is stored. */
  readonly runTable: { readonly live: ReadonlyMap<string, { readonly phase: string; readonly left: Promise<void> }> };
  /** Called when there is a run to start. */
  readonly onChanged: () => void;
}

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

/** @throws {WorkflowError} `OPTION_INVALID` */
export function resolveDedupe(dedupe: DedupeOptions, { runId, startAt }: RuntimeRunOptions): ResolvedDedupe {
  checkCallOptions("run.dedupe", dedupe);
  const { failed = "keep" } = dedupe;
  const problems = [
    ...(failed === "keep" || failed === "replace"
      ? []
      : [`\`dedupe.failed\` is ${formatValue(failed)}, not "keep" or "replace"`]),
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

export class StartDeduplicator {
  readonly #setup: StartDeduplicatorSetup;

  constructor(setup: StartDeduplicatorSetup) {
    this.#setup = setup;
  }

  /**
   * Returns the id of the run that counts, once that is stored.
   *
   * @throws {WorkflowError} `OPTION_INVALID`, `VALUE_UNSERIALIZABLE`
   */
  async start(request: NewRunRequest, { key, forMs, failed }: ResolvedDedupe): Promise<string> {
    const { store, clock, onChanged } = this.#setup;
    const { tenant, runId } = request.key;
    const of = { tenant, kind: ownKind("dedupe"), id: store.hash(JSON.stringify([request.workflow.name, key])) };
    const commit = createOnly(newRun(request));
    for (;;) {
      const { version, start: first } = await readStart(store, of);
      const isWithin = first !== null && clock.now() < first.untilMs;
      if (isWithin && (await this.#counts({ tenant, runId: first.runId }, failed))) return first.runId;
      const untilMs = clock.now() + forMs;
      const expiry = addExpiry(store, { ...of, version: version + 1 }, untilMs);
      const start: StoredDedupe = { runId, untilMs, expiry: expiry.id };
      const records = [
        ...(commit.records ?? []),
        { ...of, expected: version, text: JSON.stringify(start) },
        ...(first === null ? [] : [removeExpiry(first.expiry)]),
        expiry,
      ];
      const [result] = await store.commit([{ ...commit, records }]);
      if (result?.status !== "stored") continue; // another process was faster
      onChanged();
      return runId;
    }
  }

  /** A deleted run does not count. */
  async #counts(key: RunKey, failed: ResolvedDedupe["failed"]): Promise<boolean> {
    const { store, runTable } = this.#setup;
    const live = runTable.live.get(idOf(key));
    if (failed === "replace" && live !== undefined && live.phase !== "live") await live.left; // its end is stored then
    const run = await store.run(key);
    return run !== null && (failed === "keep" || !withoutResult.includes(run.status));
  }
}

interface ReadStart {
  /** 0 where there is no record. */
  readonly version: number;
  readonly start: StoredDedupe | null;
}

async function readStart(store: RunStore, of: RecordKey): Promise<ReadStart> {
  const record = await store.record(of);
  if (record === null) return { version: 0, start: null };
  return { version: record.version, start: parseJson(record.text, `the start ${of.id}`) as StoredDedupe };
}

// ---- records that expire: a list names them, and executing processes delete them

const TENANT = "";
const KIND = ownKind("expiry");
const PAGE = 100;

interface Expiring extends RecordKey {
  readonly version: number;
}

/** The write of an entry, to be done together with that version of the record. Its `id` is the key of the entry. */
function addExpiry(store: RunStore, of: Expiring, atMs: number): RecordWrite {
  const id = `${timeText(atMs)} ${store.hash(JSON.stringify([of.tenant, of.kind, of.id, of.version]))}`;
  return { tenant: TENANT, kind: KIND, id, expected: 0, text: JSON.stringify(of) };
}

function removeExpiry(key: string): RecordWrite {
  return { tenant: TENANT, kind: KIND, id: key, expected: 1, text: null };
}

/** Deletes expired records. */
export async function sweepExpired(store: RunStore, nowMs: number): Promise<void> {
  for (;;) {
    const { records } = await store.records({ tenant: TENANT, kind: KIND, limit: PAGE });
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
