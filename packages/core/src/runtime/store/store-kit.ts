/**
 * Shared parts of stores: new rows, which statuses are final, their errors, the limits and cursors of pages, what a search
 * finds, and ranges of ids with a prefix.
 *
 * Errors about stored runs.
 *
 * @module
 */
import { WorkflowError } from "../../errors/workflow-error.js";
import { wrongOption } from "../../value/options.js";
import type {
  Lease,
  NewRunRecord,
  RecordKey,
  RecordPage,
  RunChange,
  RunCommit,
  RunCount,
  RunKey,
  RunOrder,
  RunQuery,
  RunStore,
  StoredJournal,
  StoredRecord,
  StoredRun,
  StoredStatus,
} from "./run-store.types.js";

const contents = ["create", "ticks", "events", "summary", "snapshot", "receipts", "received", "release"] as const;

/** Returns how a commit changes its run, for stores that name changes. */
export function changeOf(commit: RunCommit): RunChange {
  const { owner, release, create, summary, records = [] } = commit;
  if (owner === null || create?.lease === null || records.length > 0) return "due";
  if ((summary?.outcome ?? null) !== null || contents.every((part) => commit[part] === undefined)) return "ended";
  return release === true ? "due" : "progressed";
}

const isEndedByStatus: { readonly [Status in StoredStatus]: boolean } = {
  scheduled: false,
  queued: false,
  running: false,
  waiting: false,
  completed: true,
  failed: true,
  cancelled: true,
  timedOut: true,
};

export const storedStatuses: readonly StoredStatus[] = Object.keys(isEndedByStatus) as StoredStatus[];

export function isStoredStatus(status: string): status is StoredStatus {
  return Object.hasOwn(isEndedByStatus, status);
}

/** The texts of statuses in SQL. A run that waited and stands in line is `requeued`: it waits again when it is taken. */
export function textsOfStatus(status: StoredStatus): readonly string[] {
  return status === "queued" ? ["queued", "requeued"] : [status];
}

/** Returns the status that a text stands for; `null` if it is not one. */
export function statusOfText(text: string): StoredStatus | null {
  if (text === "requeued") return "queued";
  return isStoredStatus(text) ? text : null;
}

/** SQL: the status of a run that gets into the line of its queue. */
export function linedUpSql(status: string): string {
  return `CASE WHEN ${status} IN ('waiting', 'requeued') THEN 'requeued' ELSE 'queued' END`;
}

/** SQL: the status of a run that is taken, as it was before it stood in line. */
export function takenSql(status: string): string {
  return `CASE ${status} WHEN 'queued' THEN 'running' WHEN 'requeued' THEN 'waiting' ELSE ${status} END`;
}

/** Counts by texts of statuses, as counts by statuses. */
export function countsOfTexts(counts: readonly (Omit<RunCount, "status"> & { readonly status: string })[]): RunCount[] {
  const merged = new Map<string, RunCount>();
  for (const { workflow, status: text, count } of counts) {
    const status = statusOfText(text) ?? (text as StoredStatus);
    const name = `${status} ${workflow}`;
    merged.set(name, { workflow, status, count: count + (merged.get(name)?.count ?? 0) });
  }
  return [...merged.values()];
}

export function isEndedStatus(status: StoredStatus): boolean {
  return isEndedByStatus[status];
}

/** The statuses of the runs that a query can find. */
export function wantedStatuses({ status, endedBeforeMs }: Pick<RunQuery, "status" | "endedBeforeMs">): StoredStatus[] {
  const wanted = status === undefined ? storedStatuses : storedStatuses.filter((name) => status.includes(name));
  return wanted.filter((name) => endedBeforeMs === undefined || isEndedStatus(name));
}

/** The status of a new run whose commit has no summary. */
export function firstStatus({ startAtMs, createdAtMs, queue }: NewRunRecord, lease: Lease | null): StoredStatus {
  if (startAtMs > createdAtMs) return "scheduled";
  return queue !== null && lease === null ? "queued" : "running";
}

/** The row of a new run without an owner. Shares nothing with the record. */
export function newStoredRun({ tenant, runId }: RunKey, record: NewRunRecord): StoredRun {
  const { workflow, input, code, version = null, createdAtMs, startAtMs, labels, forkedFrom, queue } = record;
  return {
    key: { tenant, runId },
    workflow,
    input,
    code,
    version,
    createdAtMs,
    startAtMs,
    labels: { ...labels },
    forkedFrom: forkedFrom && { runId: forkedFrom.runId, tick: forkedFrom.tick },
    queue: queue && { name: queue.name, key: queue.key, priority: queue.priority },
    status: firstStatus(record, null),
    updatedAtMs: createdAtMs,
    endedAtMs: null,
    wakeAtMs: startAtMs,
    outcome: null,
    waiting: null,
    ticks: 0,
    lastEvent: -1,
    lease: null,
    epoch: 0,
    hasPlace: false,
  };
}

/** A copy that shares nothing with the record. */
export function copiedIndex(index: NewRunRecord["index"] = {}): NonNullable<NewRunRecord["index"]> {
  return Object.fromEntries(Object.entries(index).map(([name, values]) => [name, [...values]]));
}

/** Whether a run with this index is among those that a query wants. */
export function hasIndexed(index: NonNullable<NewRunRecord["index"]>, wanted: RunQuery["index"] = {}): boolean {
  return Object.entries(wanted).every(([name, value]) => Object.hasOwn(index, name) && index[name]?.includes(value));
}

/** -1 for a commit without events. */
export function lastEventOf({ events }: RunCommit): number {
  let last = -1;
  for (const { sequence } of events ?? []) last = Math.max(last, sequence);
  return last;
}

type Method = (...args: readonly unknown[]) => unknown;

/** The store with other methods. @param replace Called once for each method. Returns the one to call instead, or the same. */
export function wrapStore(store: RunStore, replace: (name: keyof RunStore, method: Method) => unknown): RunStore {
  const known = new Map<string | symbol, { readonly of: unknown; readonly replaced: unknown }>();
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      let made = known.get(name);
      if (made?.of !== member) {
        made = { of: member, replaced: replace(name as keyof RunStore, member.bind(target)) };
        known.set(name, made);
      }
      return made.replaced;
    },
  });
}

export function storeClosed(path: string): WorkflowError {
  return new WorkflowError({
    code: "STORE_CLOSED",
    message: `The store "${path}" has been closed.`,
    hint: "Close the store last. A runtime closes its store when it stops.",
    details: { path },
  });
}

interface StoreVersions {
  readonly path: string;
  readonly version: number;
  /** The newest version that this package reads. */
  readonly newest: number;
}

/** @param name Of the package, without its scope. */
export function storeNewer(name: string, { path, version, newest }: StoreVersions): WorkflowError {
  return new WorkflowError({
    code: "STORE_NEWER",
    message: `The store "${path}" has version ${version}; this @millrace/${name} reads up to ${newest}.`,
    hint: `Upgrade @millrace/${name} here, too.`,
    details: { path, version, newest },
  });
}

/** All pages of a list, in order. @param read Reads one: what it gets is a part of its query. */
export async function* allPages<Page extends { readonly cursor: string | null }>(
  read: (from: { readonly cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page, void> {
  let page = await read({});
  yield page;
  while (page.cursor !== null) {
    page = await read({ cursor: page.cursor });
    yield page;
  }
}

/** Position of a run in a list. `id` is the number of the run in the store. */
export interface PagePosition {
  readonly createdAtMs: number;
  readonly id: number;
}

export function encodePageCursor({ createdAtMs, id }: PagePosition, order: RunOrder = "newest"): string {
  // Digits, "o" and ":" become base64 without "+" and "/".
  return btoa(`${order === "oldest" ? "o:" : ""}${createdAtMs}:${id}`).replaceAll("=", "");
}

/** @throws {WorkflowError} `OPTION_INVALID` for a text that is not a cursor of {@link encodePageCursor} for this order. */
export function decodePageCursor(cursor: string, order: RunOrder = "newest"): PagePosition {
  const [, oldest, createdAtMs, id] = /^(o:)?(-?\d{1,16}):(\d{1,16})$/.exec(fromBase64(cursor)) ?? [];
  const isOfOrder = (oldest !== undefined) === (order === "oldest");
  if (createdAtMs !== undefined && id !== undefined && isOfOrder)
    return { createdAtMs: Number(createdAtMs), id: Number(id) };
  if (createdAtMs !== undefined)
    throw wrongOption(
      "cursor",
      "belongs to a list in another order",
      "Begin the list in the new order without a cursor.",
    );
  const hint = "Pass the `cursor` of the previous page unchanged, or leave it out.";
  throw wrongOption("cursor", "was not issued by this store", hint);
}

function fromBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}

/** Number of runs that a store looks at for one page of a search. */
export const searchWindow = 5_000;

/**
 * Returns `true` when a search finds a run: its id begins with the text, the value of one of its labels contains it, or the message
 * of the error with which it failed does. A-Z are the same as a-z. Labels of the runtime (`millrace.`) and stacks are not searched.
 */
export function matchesSearch(run: Pick<StoredRun, "key" | "labels" | "status" | "outcome">, search: string): boolean {
  const wanted = folded(search);
  return (
    folded(run.key.runId).startsWith(wanted) ||
    Object.entries(run.labels).some(
      ([name, value]) => !name.startsWith("millrace.") && folded(value).includes(wanted),
    ) ||
    (run.status === "failed" && folded(messageOf(run.outcome)).includes(wanted))
  );
}

/** Folds case without the collations of databases, which differ. */
function folded(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function messageOf(outcome: string | null): string {
  try {
    const { failure } = Object(JSON.parse(outcome ?? "null")) as {
      readonly failure?: { error?: { message?: unknown } };
    };
    return typeof failure?.error?.message === "string" ? failure.error.message : "";
  } catch {
    return ""; // A damaged row is reported to the reader of the run.
  }
}

/** Patterns of `LIKE … ESCAPE '\\'` for a query that finds everything that {@link matchesSearch} finds, and more. */
export function searchPatterns(search: string): {
  readonly id: string;
  readonly value: string;
  readonly outcome: string;
} {
  const id = escaped(search);
  return { id: `${id}%`, value: `%${id}%`, outcome: `%${escaped(JSON.stringify(search).slice(1, -1))}%` };
}

function escaped(text: string): string {
  return text.replace(/[%_\\]/g, "\\$&");
}

/** A range of ids in the order of their UTF-8 bytes. */
export interface IdRange {
  readonly from: string;
  /** `true` if `from` itself is excluded. */
  readonly isAfter: boolean;
  /** The first id after the range; `null` if there is none. */
  readonly end: string | null;
}

/** The ids that begin with `prefix` and come after `cursor`, the last id of the page before. */
export function rangeOfPrefix(prefix: string, cursor: string | undefined): IdRange {
  const isAfter = cursor !== undefined && isBeyond(cursor, prefix);
  return { from: isAfter ? cursor : prefix, isAfter, end: endOf(prefix) };
}

function isBeyond(id: string, other: string): boolean {
  const utf8 = new TextEncoder();
  const [left, right] = [utf8.encode(id), utf8.encode(other)];
  const at = left.findIndex((byte, index) => byte !== right[index]);
  return at < 0 ? left.length >= right.length : (left[at] as number) > (right[at] ?? -1);
}

/** The first text after every text with the prefix; `null` if there is none. */
function endOf(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) as number);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue;
    // Code points of surrogates are skipped: they are not characters.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return null;
}

/** The key of a record that has more. */
export function recordKeyOf({ tenant, kind, id }: RecordKey): RecordKey {
  return { tenant, kind, id };
}

/** A page of records. @param read One more than the page has, if there is a next page. */
export function recordPageOf(read: readonly (RecordKey & StoredRecord)[], limit: number): RecordPage {
  const records = read.slice(0, limit);
  return { records, cursor: read.length > limit ? (records.at(-1)?.id ?? null) : null };
}

/** Returns the shortest journals that together have at most `maxLength` characters of text. */
export function shortestJournals(journals: readonly StoredJournal[], maxLength: number): StoredJournal[] {
  let left = maxLength;
  return journals
    .toSorted((one, other) => lengthOf(one) - lengthOf(other))
    .filter((journal) => (left -= lengthOf(journal)) >= 0);
}

function lengthOf({ snapshot, ticks }: StoredJournal): number {
  return ticks.reduce((sum, { text }) => sum + text.length, snapshot?.text.length ?? 0);
}

type Listener = Parameters<RunStore["watch"]>[0];

/** A change that is reported to listeners; the `key` is `null` if it may be any run. */
export interface HeardChange {
  readonly key: RunKey | null;
  readonly news?: RunChange | undefined;
}

/** The listeners of a store. */
export class StoreListeners {
  readonly #entries: Set<{ readonly listener: Listener }> = new Set();

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Returns a function that removes the listener. */
  add(listener: Listener): () => void {
    const entry = { listener }; // an object, because the same function may listen twice
    this.#entries.add(entry);
    return () => void this.#entries.delete(entry);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Calls the listeners once for each change, after the caller has returned. */
  notify(changes: readonly HeardChange[]): void {
    for (const entry of this.#entries) {
      // One microtask each: a listener that throws must neither silence the others nor fail the commit.
      queueMicrotask(() => {
        for (const { key, news } of changes) if (this.#entries.has(entry)) entry.listener(key, news);
      });
    }
  }
}

export function leaseLost({ runId }: RunKey): WorkflowError {
  return new WorkflowError({
    code: "RUN_LEASE_LOST",
    message: `Run "${runId}" has been taken over by another owner: what this process did since its lease ran out does not count.`,
    hint: "Nothing is lost: the run continues there. If this happens often, raise `leaseMs`, or keep the event loop free.",
    details: { runId },
  });
}

export function runTooLarge(
  { runId }: RunKey,
  room: { readonly characters: number; readonly neededBytes: number; readonly freeBytes: number },
): WorkflowError {
  const [needed, free] = [room.neededBytes, room.freeBytes].map((bytes) => Math.ceil(bytes / 2 ** 20));
  return new WorkflowError({
    code: "RUN_TOO_LARGE",
    message: `Run "${runId}" needs about ${needed} MB of memory to be loaded, for at least ${room.characters} stored characters; ${free} MB are free.`,
    hint: "Raise the memory limit of the process (`node --max-old-space-size`), or keep large values outside of the run.",
    details: { runId, ...room },
  });
}

export function runUnknown({ runId, tenant }: RunKey): WorkflowError {
  return new WorkflowError({
    code: "RUN_UNKNOWN",
    message: `There is no run "${runId}"${tenant === "" ? "" : ` of tenant "${tenant}"`}.`,
    hint: "Check the id and the tenant. The run may have been deleted.",
    details: { runId, tenant },
  });
}

/** Returns whether the error is about a run of newer code. During a deployment, a process with that code has the run, or claims it. */
export function isOfNewerCode(error: unknown): boolean {
  return WorkflowError.is(error, "SNAPSHOT_NEWER") || WorkflowError.is(error, "EVENT_NEWER");
}

export function runtimeStopped(): WorkflowError {
  return new WorkflowError({
    code: "RUNTIME_STOPPED",
    message: "The runtime has been stopped: it accepts no more work.",
    hint: "Make a new one with `createRuntime`; stored runs continue there.",
  });
}

/**
 * @param asked Workflow of a run that was to be started; `null` if the run was to be imported.
 *
 * @param differs Fields of the inputs that are not the same.
 */
export function runIdConflict(
  { runId }: RunKey,
  stored: string,
  { asked, differs = [] }: { readonly asked: string | null; readonly differs?: readonly string[] },
): WorkflowError {
  const fields = differs.length === 0 ? "" : `; different: ${differs.join(", ")}`;
  const why =
    asked === null
      ? "that is not the one which was exported"
      : stored === asked
        ? `with another input${fields}`
        : `of the workflow "${stored}", not "${asked}"`;
  return new WorkflowError({
    code: "RUN_ID_CONFLICT",
    message: `There is already a run "${runId}" ${why}.`,
    hint: "Use another `runId`; the same one with the same workflow and input returns the existing run.",
    details: { runId, workflow: stored, differs },
  });
}
