/**
 * An exported run in the texts of the store that is to take it, before anything of it is stored.
 *
 * @module
 */

import type { ExportedTicks } from "../api/moving.types.js";
import type { RunStore, StoredEvent, StoredRun, StoredSnapshot, TickBatch } from "../store/run-store.types.js";
import { newStoredRun } from "../store/store-kit.js";
import { type PackedText, packList, packText } from "../text/blob-text.js";
import { readBatch } from "../text/journal-text.js";
import type { From } from "../worker/load/load.js";
import type { Exported, Problems } from "./exported-parts.js";

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
  readonly view: From["store"];
  codeBlobs(hashes: readonly string[]): Blobs;
  /** @param code Hash of the code that is named in it. */
  snapshotOf(snapshot: StoredSnapshot, code: string): Staged<StoredSnapshot>;
  eventOf(event: StoredEvent): Staged<StoredEvent>;
}

/** @throws {WorkflowError} for the first part that cannot be read; what is wrong with others is noted. */
export function stageRun(given: Exported, hash: RunStore["hash"], problems: Problems): StagedRun {
  const { head } = given;
  const codes = new Map(given.code.map(({ name, text }) => [name, hash(text)]));
  const codeTexts = new Map(given.code.map(({ text }) => [hash(text), text]));
  const codeOf = (name: unknown): string => {
    const found = typeof name === "string" ? codes.get(name) : undefined;
    if (found === undefined) problems.add(`the code ${JSON.stringify(name)} is not in it`);
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
    if (count !== numbers) problems.add(`ticks ${batch.first} to ${batch.last} are ${count}, not ${numbers}`);
    const packed = packList(
      entries.map((entry) => JSON.stringify(entry)),
      hash,
    );
    const { first, last, atMs } = batch;
    return { row: { first, last, atMs, text: packed.text }, blobs: [...packed.blobs, ...codeBlobs(named)] };
  });
  const snapshots = given.snapshot.map(({ tick, atMs, snapshot }) => {
    const code = codeOf((snapshot as { readonly code?: unknown }).code);
    if (tick > head.ticks) problems.add(`it has a snapshot of tick ${tick}, and ${head.ticks} ticks`);
    return snapshotOf({ tick, atMs, text: JSON.stringify({ ...(snapshot as object), code }) }, code);
  });
  const eventOf: StagedRun["eventOf"] = (event) => {
    const { text, blobs } = packText(event.text, hash);
    return { row: { ...event, text }, blobs };
  };
  const events = given.event.map(({ sequence, atMs, shown }) =>
    eventOf({ sequence, atMs, text: JSON.stringify(shown) }),
  );
  const run = rowOf(given, codeOf(head.code));
  const firstTick = ticks[0]?.row.first ?? head.ticks + 1;
  const view = viewOf(
    ticks,
    snapshots,
    [...ticks, ...snapshots].flatMap(({ blobs }) => blobs).concat(codeBlobs([...codeTexts.keys()])),
  );
  return { run, firstTick, ticks, snapshots, events, view, codeBlobs, snapshotOf, eventOf };
}

function viewOf(
  ticks: readonly Staged<TickBatch>[],
  snapshots: readonly Staged<StoredSnapshot>[],
  blobs: Blobs,
): StagedRun["view"] {
  const texts = new Map(blobs.map(({ hash, text }) => [hash, text]));
  return {
    blob: async (hash) => texts.get(hash) ?? null,
    snapshot: async (_key, atOrBelow = Number.MAX_SAFE_INTEGER) =>
      snapshots.findLast(({ row }) => row.tick <= atOrBelow)?.row ?? null,
    ticks: async (_key, { after, limit }) =>
      ticks.flatMap(({ row }) => (row.last > after ? [row] : [])).slice(0, limit),
  };
}

/** A store refuses ticks that do not follow the last one, alone and not with the rest of the run. */
function checkNumbers({ head, ticks, snapshot: snapshots, event: events }: Exported, problems: Problems): void {
  let next = ticks[0]?.first ?? head.ticks + 1;
  if (next < 1) problems.add(`it has a tick ${next}`);
  for (const { first, last } of ticks) {
    if (first !== next || last < first) problems.add(`ticks ${first} to ${last} come where tick ${next} should`);
    next = last + 1;
  }
  if (next !== head.ticks + 1) problems.add(`it has ${head.ticks} ticks, and tick ${next - 1} came last`);
  if (head.ticks === 0 && head.forkedFrom === null && snapshots.length + events.length > 0)
    problems.add("it has not begun, and has a snapshot or has shown an event");
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
