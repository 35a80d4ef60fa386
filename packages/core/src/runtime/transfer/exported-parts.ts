/**
 * Checks the form of the parts that `runtime.import` gets, one by one. All problems are reported together.
 *
 * An exported run in the texts of the store that is to take it, before anything of it is stored.
 *
 * @module
 */
import { WorkflowError } from "../../errors/workflow-error.js";
import { freeHeapBytes } from "../../system/system.js";
import { hasFields, isError, isObject } from "../../value/kind.js";
import { assertOption } from "../../value/options.js";
import {
  anyList,
  anyObject,
  count,
  is,
  isTime,
  nullable,
  object,
  oneOf,
  optional,
  type Shape,
  type ShapesOf,
  text,
  union,
} from "../../value/shape.js";
import { EXPORT_FORMAT, type ExportedHead, type ExportedPart, type ExportedTicks } from "../api/history.types.js";
import { checkNames, isPriority, type Named } from "../options/call-options.js";
import { moveKey } from "../store/run-key.js";
import type { RunStore, StoredEvent, StoredRun, StoredSnapshot, TickBatch } from "../store/run-store.types.js";
import { isStoredStatus, newStoredRun } from "../store/store-kit.js";
import { type PackedText, packList, packText } from "../text/blob-text.js";
import { readBatch } from "../text/journal-text.js";
import { nameOf } from "../text/record-text.js";
import { assertRoom, type RunReads, readsFrom } from "../worker/load/load.js";

export type ExportedParts = Iterable<unknown> | AsyncIterable<unknown>;
type PartOf<Type extends ExportedPart["type"]> = Extract<ExportedPart, { readonly type: Type }>;

/** Parts by type. */
type Lists = { readonly [Type in Exclude<ExportedPart["type"], "run" | "end">]: PartOf<Type>[] };

/** An export whose parts have the right form: its snapshots by tick, all others in the order in which they came. */
export interface Exported extends Lists {
  readonly head: ExportedHead;
}

/** Maximum number of problems that are reported. */
const MAX_REPORTED = 20;

/** Notes an error of `work` as a problem and returns `null`. Errors of the store are rethrown. */
export async function noted<Value>(problems: string[], work: () => Value | Promise<Value>): Promise<Value | null> {
  try {
    return await work();
  } catch (error) {
    if (WorkflowError.is(error) && (error.code.startsWith("STORE_") || error.code === "RUN_TOO_LARGE")) throw error;
    problems.push(isError(error) ? error.message.replace(/\.$/, "") : String(error));
    return null;
  }
}

/** @throws {WorkflowError} `EXPORT_INVALID` if there are problems. */
export function refuseExport(found: readonly string[]): void {
  if (found.length === 0) return;
  const problems = found.slice(0, MAX_REPORTED);
  const left = found.length - problems.length;
  if (left > 0) problems.push(`and ${left} more`);
  throw new WorkflowError({
    code: "EXPORT_INVALID",
    message: `This run cannot be imported here: ${problems.join("; ")}.`,
    hint: "Pass all parts of one `runtime.export`, in order and unchanged, to a runtime with the workflow of the run.",
    details: { problems },
  });
}

/** Epoch milliseconds that a `Date` can have. */
export const wholeTime: Shape<number> = is("a time", (value) => Number.isSafeInteger(value) && isTime(value));

const forms: { readonly [Type in ExportedPart["type"]]: ShapesOf<Omit<PartOf<Type>, "type">> } = {
  run: {
    format: oneOf(EXPORT_FORMAT),
    move: is("a text of 1 to 100 characters", (move) => text(move) === null && /^.{1,100}$/s.test(move as string)),
    tenant: text,
    runId: text,
    workflow: text,
    status: nullable(is("a status", (status) => typeof status === "string" && isStoredStatus(status))),
    input: anyObject,
    code: text,
    version: optional(nullable(text)),
    ticks: count,
    createdAtMs: wholeTime,
    startAtMs: wholeTime,
    updatedAtMs: wholeTime,
    labels: anyObject,
    forkedFrom: nullable(object({ runId: text, tick: count })),
    queue: nullable(object({ name: text, key: text, priority: is("a priority", isPriority) })),
    waiting: nullable(anyList),
  },
  code: { name: text, text },
  ticks: { first: count, last: count, atMs: wholeTime, entries: anyList },
  snapshot: { tick: count, atMs: wholeTime, snapshot: anyObject },
  event: { sequence: count, atMs: wholeTime, shown: anyObject },
  post: { position: count, key: nullable(text), atMs: wholeTime, message: object({ kind: text }) },
  received: { key: text, receipt: object({ status: text }) },
  record: { kind: text, id: text, value: is("a value", (value) => value !== undefined) },
  end: { parts: count },
};
const anyPart: Shape<ExportedPart> = union("type", forms) as never;

/**
 * @param tenant Tenant that the run must have.
 * @throws {WorkflowError} `EXPORT_INVALID`; `OPTION_INVALID` for a value without parts; `RUN_TOO_LARGE`.
 */
export async function readParts(parts: ExportedParts, tenant: string): Promise<Exported> {
  const isIterable = isObject(parts) && (Symbol.asyncIterator in parts || Symbol.iterator in parts);
  assertOption(isIterable, "parts", "a result of `runtime.export(runId)`, or a list of its parts");
  const problems: string[] = [];
  const lists: Lists = { ticks: [], snapshot: [], event: [], post: [], received: [], record: [], code: [] };
  let head: ExportedHead | null = null;
  let number = 0;
  let end: PartOf<"end"> | null = null;
  let characters = 0;
  const freeBytes = freeHeapBytes();
  for await (const given of parts) {
    number++;
    const part = partOf(given, number, problems);
    if (part === null) continue;
    if ((part.type === "run") !== (number === 1) || end !== null)
      problems.push(`part ${number} is of type "${part.type}", in a place of another`);
    else if (part.type === "run") head = part;
    else if (part.type === "end") end = part;
    else lists[part.type].push(part as never);
    characters += lengthOf(part, number, problems);
    assertRoom({ tenant, runId: head?.runId ?? "" }, { characters, freeBytes });
  }
  if (end === null || end.parts !== number)
    problems.push(`it has ${number} parts, and ${end === null ? "no end marker" : `its end marker says ${end.parts}`}`);
  if (head !== null) await checkHead(head, tenant, problems);
  for (const { key } of [...lists.received, ...lists.post]) await checkName({ key: key ?? "-" }, problems);
  for (const { kind, id } of lists.record) await checkName({ kind, id }, problems);
  checkTwice(head, lists, problems);
  refuseExport(problems);
  lists.snapshot.sort((left, right) => left.tick - right.tick);
  return { ...lists, head: head as ExportedHead };
}

function partOf(given: unknown, number: number, problems: string[]): ExportedPart | null {
  const found = anyPart(given);
  if (found === null) return given as ExportedPart;
  const name =
    hasFields(given) && typeof given["type"] === "string" ? `part ${number}, "${given["type"]}",` : `part ${number}`;
  const isNewer = found.some(({ path }) => path === "format");
  if (isNewer) problems.push(`its format is not ${EXPORT_FORMAT}: a newer version has written it`);
  else
    for (const { path, what } of found)
      problems.push(path === "" ? `${name} ${what}` : `${name} has a wrong \`${path}\`: it ${what}`);
  return null;
}

/** Refuses parts that a store keeps only once. */
function checkTwice(head: ExportedHead | null, { received, post, record }: Lists, problems: string[]): void {
  const own = head === null ? [] : [{ key: moveKey(head.move) }];
  const keys = [...own, ...received, ...post].flatMap(({ key }) => key ?? []);
  for (const key of repeated(keys)) problems.push(`it has two messages with the key ${JSON.stringify(key)}`);
  for (const name of repeated(record.map(nameOf))) problems.push(`it has ${name} twice`);
  const positions = post.map(({ position }) => position);
  for (const position of repeated(positions)) problems.push(`it has two messages with the position ${position}`);
}

function repeated<Item>(items: readonly Item[]): Set<Item> {
  const seen = new Set<Item>();
  return new Set(items.filter((item) => seen.size === seen.add(item).size));
}

function lengthOf(part: ExportedPart, number: number, problems: string[]): number {
  try {
    return JSON.stringify(part).length;
  } catch {
    problems.push(`part ${number}, "${part.type}", is not JSON, or too deep`);
    return 0;
  }
}

async function checkHead(head: ExportedHead, tenant: string, problems: string[]): Promise<void> {
  if (head.tenant !== tenant) problems.push(`the run is of tenant "${head.tenant}", not "${tenant}"`);
  await checkName(
    { tenant: head.tenant, runId: head.runId, version: head.version ?? undefined, labels: head.labels },
    problems,
  );
  if (head.forkedFrom !== null) await checkName({ runId: head.forkedFrom.runId }, problems);
  if (head.queue !== null) await checkName({ kind: head.queue.name, tenant: head.queue.key }, problems);
}

async function checkName(named: Named, problems: string[]): Promise<void> {
  await noted(problems, () => checkNames(named));
}

/** Short batches are joined up to so many ticks. */
const JOINED = 200;

type Blobs = PackedText["blobs"];

/** A row with the blobs that its text names. */
interface Staged<Row> {
  readonly row: Row;
  readonly blobs: Blobs;
}

export interface StagedRun {
  readonly run: StoredRun;
  /** Number of the first tick that came; the next one where none did. */
  readonly firstTick: number;
  readonly ticks: readonly Staged<TickBatch>[];
  readonly snapshots: readonly Staged<StoredSnapshot>[];
  readonly events: readonly Staged<StoredEvent>[];
  /** Store that a load of the run reads from. */
  readonly view: RunReads;
  codeBlobs(hashes: readonly string[]): Blobs;
  /** @param code Hash of the code that is named in it. */
  snapshotOf(snapshot: StoredSnapshot, code: string): Staged<StoredSnapshot>;
  eventOf(event: StoredEvent): Staged<StoredEvent>;
}

/** @throws {WorkflowError} for the first part that cannot be read; what is wrong with others is noted. */
export function stageRun(given: Exported, hash: RunStore["hash"], problems: string[]): StagedRun {
  const { head } = given;
  const codes = new Map(given.code.map(({ name, text }) => [name, hash(text)]));
  const codeTexts = new Map(given.code.map(({ text }) => [hash(text), text]));
  const codeOf = (name: unknown): string => {
    const found = typeof name === "string" ? codes.get(name) : undefined;
    if (found === undefined) problems.push(`the code ${JSON.stringify(name)} is not in it`);
    return found ?? "";
  };
  const codeBlobs: StagedRun["codeBlobs"] = (hashes) =>
    [...new Set(hashes)].flatMap((one) => {
      const text = codeTexts.get(one);
      return text === undefined ? [] : [{ hash: one, text }];
    });
  const snapshotOf: StagedRun["snapshotOf"] = ({ tick, atMs, text }, code) => {
    const packed = packText(text, hash);
    return { row: { tick, atMs, text: packed.text }, blobs: [...packed.blobs, ...codeBlobs([code])] };
  };
  checkNumbers(given, problems);
  const ticks = joined(given.ticks).map((batch) => {
    const { entries, named } = withCodes(batch, codeOf);
    const count = entries.length - named.length;
    const numbers = batch.last - batch.first + 1;
    if (count !== numbers) problems.push(`ticks ${batch.first} to ${batch.last} are ${count}, not ${numbers}`);
    const packed = packList(
      entries.map((entry) => JSON.stringify(entry)),
      hash,
    );
    const { first, last, atMs } = batch;
    return { row: { first, last, atMs, text: packed.text }, blobs: [...packed.blobs, ...codeBlobs(named)] };
  });
  const snapshots = given.snapshot.map(({ tick, atMs, snapshot }) => {
    const code = codeOf((snapshot as { readonly code?: unknown }).code);
    if (tick > head.ticks) problems.push(`it has a snapshot of tick ${tick}, and ${head.ticks} ticks`);
    return snapshotOf({ tick, atMs, text: JSON.stringify({ ...(snapshot as object), code }) }, code);
  });
  const eventOf: StagedRun["eventOf"] = (event) => {
    const packed = packText(event.text, hash);
    return { row: { ...event, text: packed.text }, blobs: packed.blobs };
  };
  const events = given.event.map(({ sequence, atMs, shown }) =>
    eventOf({ sequence, atMs, text: JSON.stringify(shown) }),
  );
  const run = rowOf(given, codeOf(head.code));
  const firstTick = ticks[0]?.row.first ?? head.ticks + 1;
  const blobs = [...ticks, ...snapshots].flatMap((staged) => staged.blobs).concat(codeBlobs([...codeTexts.keys()]));
  const texts = new Map(blobs.map((blob) => [blob.hash, blob.text]));
  const rows = { snapshots: snapshots.map(({ row }) => row), ticks: ticks.map(({ row }) => row) };
  const view = readsFrom(rows, async (name) => texts.get(name) ?? null);
  return { run, firstTick, ticks, snapshots, events, view, codeBlobs, snapshotOf, eventOf };
}

/** A store refuses ticks that do not follow the last one, alone and not with the rest of the run. */
function checkNumbers({ head, ticks, snapshot: snapshots, event: events }: Exported, problems: string[]): void {
  let next = ticks[0]?.first ?? head.ticks + 1;
  if (next < 1) problems.push(`it has a tick ${next}`);
  for (const { first, last } of ticks) {
    if (first !== next || last < first) problems.push(`ticks ${first} to ${last} come where tick ${next} should`);
    next = last + 1;
  }
  if (next !== head.ticks + 1) problems.push(`it has ${head.ticks} ticks, and tick ${next - 1} came last`);
  if (head.ticks === 0 && head.forkedFrom === null && snapshots.length + events.length > 0)
    problems.push("it has not begun, and has a snapshot or has shown an event");
}

/** A store keeps a batch for each commit of the run; here they only have to be in order. */
function joined(parts: readonly ExportedTicks[]): ExportedTicks[] {
  const batches: ExportedTicks[] = [];
  for (const part of parts) {
    const before = batches.at(-1);
    if (before === undefined || part.first !== before.last + 1 || part.last - before.first >= JOINED)
      batches.push(part);
    else batches[batches.length - 1] = { ...part, first: before.first, entries: [...before.entries, ...part.entries] };
  }
  return batches;
}

/** @throws {WorkflowError} `JOURNAL_CORRUPT` */
function withCodes(
  { first, last, entries }: ExportedTicks,
  codeOf: (name: unknown) => string,
): { readonly entries: readonly unknown[]; readonly named: readonly string[] } {
  const named: string[] = [];
  const place = `ticks ${first} to ${last}`;
  const read = readBatch(entries, place);
  const renamed = read.map((entry, index) => {
    if (entry.kind !== "code") return entries[index];
    const code = codeOf(entry.hash);
    named.push(code);
    return { ...(entries[index] as object), code };
  });
  return { entries: renamed, named };
}

function rowOf({ head, event: events }: Exported, code: string): StoredRun {
  const { status, ticks, updatedAtMs, waiting } = head;
  return {
    ...newStoredRun(head, { ...head, version: head.version ?? null, input: JSON.stringify(head.input), code }),
    status: status ?? "running",
    ticks,
    updatedAtMs,
    wakeAtMs: null,
    waiting: waiting === null ? null : JSON.stringify(waiting),
    lastEvent: events.at(-1)?.sequence ?? -1,
  };
}
