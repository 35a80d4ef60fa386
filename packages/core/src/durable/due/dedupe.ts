/**
 * Starts that count once per key: the first one within a time, or the last one after a quiet time.
 *
 * `first`: a record names the run; the commit that creates the run writes it. `last`: a record holds the start, and each call
 * rewrites it. When the time has passed, one commit creates the run and deletes the record.
 *
 * @module
 */

import { encodeEvent } from "../../event/event-codec.js";
import { toMs } from "../../value/duration.js";
import { shown } from "../../value/shown.js";
import { optionsInvalid } from "../../value/unknown-options.js";
import type { DedupeOptions, RuntimeRunOptions } from "../api/runtime.types.js";
import type { RuntimeParts } from "../code/registered-workflows.js";
import { createOnly, makeStart, type NewRunRequest, newRun, type StoredStart } from "../commit/new-run.js";
import { checkCallOptions } from "../options/call-options.js";
import { checkNames } from "../options/check-names.js";
import { idOf } from "../store/run-key.js";
import type { RecordKey, RunCommit, RunKey, RunStore, StoredStatus } from "../store/run-store.types.js";
import { parseJson } from "../text/journal-text.js";
import { addDue, type DueEntry, ownKind, removeDue, type StoredDueEntry } from "./due-entries.js";
import { addExpiry, removeExpiry } from "./expiring.js";

const withoutResult: readonly StoredStatus[] = ["failed", "timedOut", "cancelled"];

/** Added to the present time, the sum is still a date. */
const LONGEST_MS = 1e15;

export interface DedupesSetup extends RuntimeParts {
  /** Runs in memory here. `left` resolves when everything of the run is stored. */
  readonly registry: { readonly live: ReadonlyMap<string, { readonly phase: string; readonly left: Promise<void> }> };
  /** Called when there is something to start, now or later. */
  readonly onChanged: () => void;
}

export interface ResolvedDedupe {
  readonly key: string;
  readonly forMs: number;
  readonly mode: "first" | "last";
  readonly failed: "keep" | "replace";
}

/** Record of the mode `first`. */
interface FirstStart {
  readonly runId: string;
  readonly untilMs: number;
  readonly expiry: string;
}

/** Record of the mode `last`. */
interface WaitingStart extends StoredStart {
  readonly runId: string;
  readonly atMs: number;
  readonly due: string;
}

/** @throws {WorkflowError} `OPTION_INVALID`, `DURATION_INVALID` */
export function resolveDedupe(dedupe: DedupeOptions, { runId, startAt }: RuntimeRunOptions): ResolvedDedupe {
  checkCallOptions("run.dedupe", dedupe);
  const { mode = "first", failed = "keep" } = dedupe;
  const problems = [
    ...(mode === "first" || mode === "last" ? [] : [`\`dedupe.mode\` is ${shown(mode)}, not "first" or "last"`]),
    ...(failed === "keep" || failed === "replace"
      ? []
      : [`\`dedupe.failed\` is ${shown(failed)}, not "keep" or "replace"`]),
    ...(mode === "last" && failed === "replace"
      ? ['`dedupe.failed` is "replace": it goes only with the mode "first"']
      : []),
    ...(runId === undefined ? [] : ["`dedupe` decides which run it is: it goes with no `runId`"]),
    ...(startAt === undefined ? [] : ["`dedupe` decides when it starts: it goes with no `startAt`"]),
  ];
  const forMs = toMs(dedupe.for, "dedupe.for");
  if (forMs === 0) problems.push("`dedupe.for` is 0: it would dedupe nothing");
  if (forMs > LONGEST_MS) problems.push("`dedupe.for` ends after every date that there can be");
  if (problems.length > 0) throw optionsInvalid("`run`", problems);
  checkNames({ key: dedupe.key });
  return { key: dedupe.key, forMs, mode, failed };
}

export class Dedupes {
  readonly #setup: DedupesSetup;

  constructor(setup: DedupesSetup) {
    this.#setup = setup;
  }

  /**
   * Returns the id of the run that counts, once that is stored.
   *
   * @throws {WorkflowError} `OPTION_INVALID`, `VALUE_UNSERIALIZABLE`
   */
  start(request: NewRunRequest, dedupe: ResolvedDedupe): Promise<string> {
    const { tenant } = request.key;
    const id = JSON.stringify([request.workflow.name, dedupe.key]);
    checkNames({ key: id }); // with the name of the workflow
    const of = { tenant, kind: ownKind(dedupe.mode), id };
    const run = newRun(request); // also if the run starts later: what cannot be stored is refused now
    if (dedupe.mode === "first") return this.#first(createOnly(run), of, dedupe);
    return this.#last({ ...request, trace: run.started.trace ?? null }, of, dedupe.forMs);
  }

  async #first(commit: RunCommit, of: RecordKey, { forMs, failed }: ResolvedDedupe): Promise<string> {
    const { store, clock, onChanged } = this.#setup;
    const { tenant, runId } = commit.key;
    for (;;) {
      const { version, start: first } = await readStart<FirstStart>(store, of);
      const isWithin = first !== null && clock.now() < first.untilMs;
      if (isWithin && (await this.#counts({ tenant, runId: first.runId }, failed))) return first.runId;
      const untilMs = clock.now() + forMs;
      const expiry = addExpiry(store, { ...of, version: version + 1 }, untilMs);
      const start: FirstStart = { runId, untilMs, expiry: expiry.id };
      const records = [
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
    const { store, registry } = this.#setup;
    const live = registry.live.get(idOf(key));
    if (failed === "replace" && live !== undefined && live.phase !== "live") await live.left; // its end is stored then
    const run = await store.run(key);
    return run !== null && (failed === "keep" || !withoutResult.includes(run.status));
  }

  async #last(request: NewRunRequest, of: RecordKey, forMs: number): Promise<string> {
    const { store, clock, onChanged } = this.#setup;
    const { workflow, event, labels = {}, trace, timeoutMs, deadlineMs, queue } = request;
    const encoded = encodeEvent(event, `run: ${event.type}`, workflow.compiled.values);
    for (;;) {
      const { version, start: before } = await readStart<WaitingStart>(store, of);
      const runId = before?.runId ?? request.key.runId;
      const atMs = clock.now() + forMs;
      const entry: DueEntry = {
        what: "start",
        tenant: of.tenant,
        id: of.id,
        workflow: workflow.name,
        atMs,
        afterRun: null,
      };
      const due = addDue(store, entry, version + 1);
      const start: WaitingStart = {
        runId,
        workflow: workflow.name,
        atMs,
        event: encoded,
        labels,
        ...(trace !== null && { trace }),
        timeoutMs,
        deadlineMs,
        queue,
        due: due.id,
      };
      const writes = [
        { ...of, expected: version, text: JSON.stringify(start) },
        ...(before === null ? [] : [removeDue(before.due)]),
        due,
      ];
      if ((await store.writeRecords(writes)).length > 0) continue; // another process was faster
      onChanged();
      return runId;
    }
  }

  /** Starts a run whose quiet time has passed. Returns when to look again. */
  async fire({ tenant, id, key }: StoredDueEntry): Promise<number | null> {
    const { store, clock } = this.#setup;
    const of = { tenant, kind: ownKind("last"), id };
    const { version, start } = await readStart<WaitingStart>(store, of);
    if (start?.due !== key) return start?.atMs ?? null; // another call came, or another process has started it
    const making = { key: { tenant, runId: start.runId }, startAtMs: start.atMs, what: `The input of ${nameOf(of)}` };
    const commit = makeStart(this.#setup, start, making);
    const records = [{ ...of, expected: version, text: null }, removeDue(key)];
    const [result] = await store.commit([{ ...commit, records }]);
    if (result?.status === "exists") await store.writeRecords(records); // another caller has used that id
    return result?.status === "conflict" ? clock.now() : null;
  }
}

interface ReadStart<Start> {
  /** 0 where there is no record. */
  readonly version: number;
  readonly start: Start | null;
}

async function readStart<Start>(store: RunStore, of: RecordKey): Promise<ReadStart<Start>> {
  const record = await store.record(of);
  if (record === null) return { version: 0, start: null };
  return { version: record.version, start: parseJson(record.text, nameOf(of)) as Start };
}

function nameOf({ id }: RecordKey): string {
  return `the start ${id}`;
}
