/**
 * Reads of a run for clients. They run concurrently with the invocation that works on the run, which may change the state between any
 * two of them; and the journal keeps every answer, so a retry of the handler gets the same answers again. If a listed value is missing,
 * or the id belongs to another run, the read starts over within the same attempt instead of failing.
 *
 * @module
 */
import type { StoredEvent, StoredSnapshot, TickBatch } from "millrace/runtime";
import { currentRow, type Row, type StateReader } from "../kept/kept-run.js";
import { blobHashes, blobKey, ROW, receiptKey, type Span, spansAfter, spansOf } from "../kept/keys.js";
import type { ReadAnswer, ReadMessage } from "./messages.js";

type RunRead = Exclude<ReadMessage, { readonly what: "receipt" | "begun" }>;
type Found = Pick<ReadAnswer<unknown>, "value" | "blobs">;

export async function readRun(state: StateReader, message: ReadMessage): Promise<ReadAnswer<unknown>> {
  if (message.what === "begun") return { value: (await state.stateKeys()).includes(ROW), blobs: [] };
  if (message.what === "receipt") return { value: await state.get<string>(receiptKey(message.of)), blobs: [] };
  for (;;) {
    const answer = await readOnce(state, message);
    if (answer !== null) return answer;
  }
}

/** `null` if the state has changed meanwhile and the answer is not consistent. */
async function readOnce(state: StateReader, message: RunRead): Promise<ReadAnswer<unknown> | null> {
  // Read together: each may take a request.
  const asked = state.get<Row>(ROW);
  const listed = state.stateKeys();
  const before = await asked;
  const keys = await listed;
  if (before === null) return nothing(message);
  const { run, active } = before;
  // Only an active run can be further than its row says; it cannot be removed before its status changes.
  if (message.what === "run")
    return { value: run.status === "running" ? currentRow(run, keys) : run, blobs: [], active };
  const found = await valuesOf({ state, keys, row: before }, message);
  const after = await state.get<Row>(ROW);
  if (after === null) return nothing(message);
  return run.createdAtMs === after.run.createdAtMs ? found : null;
}

function nothing({ what }: RunRead): ReadAnswer<unknown> {
  return { value: what === "run" || what === "snapshot" ? null : [], blobs: [] };
}

interface Listed {
  readonly state: StateReader;
  readonly keys: readonly string[];
  readonly row: Row;
}

async function valuesOf(listed: Listed, message: Exclude<RunRead, { readonly what: "run" }>): Promise<Found | null> {
  switch (message.what) {
    case "snapshot":
      return snapshot(listed, message.atOrBelow);
    case "ticks": {
      const spans = spansAfter(spansOf("t", listed.keys), message);
      const asked = spans.map(({ key }) => listed.state.get<TickBatch>(key));
      const batches: (TickBatch | null)[] = [];
      for (const batch of asked) batches.push(await batch);
      const isWhole = batches.every((batch) => batch !== null);
      return isWhole ? withBlobs(listed, batches, [listed.row.run.code, ...batches.map(({ text }) => text)]) : null;
    }
    case "events": {
      const events = await eventsOf(listed, spansAfter(spansOf("e", listed.keys), message), message);
      return events === null
        ? null
        : withBlobs(
            listed,
            events,
            events.map(({ text }) => text),
          );
    }
  }
}

async function snapshot(listed: Listed, atOrBelow: number | null): Promise<Found | null> {
  const last = spansOf("s", listed.keys).findLast(({ first }) => atOrBelow === null || first <= atOrBelow);
  if (last === undefined) return { value: null, blobs: [] };
  const found = await listed.state.get<StoredSnapshot>(last.key);
  return found === null ? null : withBlobs(listed, found, [found.text]);
}

async function eventsOf(
  { state }: Listed,
  spans: readonly Span[],
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<StoredEvent[] | null> {
  const found: StoredEvent[] = [];
  for (const { key } of spans) {
    const events = await state.get<StoredEvent[]>(key);
    if (events === null) return null;
    found.push(...events.filter(({ sequence }) => sequence > after));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** Adds the large values that the texts refer to, and those that these refer to. */
async function withBlobs({ state, keys }: Listed, value: unknown, texts: readonly string[]): Promise<Found | null> {
  const blobs: { readonly hash: string; readonly text: string }[] = [];
  const rest = [...texts];
  const hashes = new Set(blobHashes(keys));
  for (const naming of rest) {
    for (const hash of hashes) {
      if (!naming.includes(hash)) continue;
      hashes.delete(hash);
      const text = await state.get<string>(blobKey(hash));
      if (text === null) return null;
      blobs.push({ hash, text });
      rest.push(text);
    }
  }
  return { value, blobs };
}
