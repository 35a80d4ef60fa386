/**
 * What became of a run: its ticks, its attempts, a moment of it, its children.
 *
 * @module
 */
import type { RunAttempt } from "millrace/runtime";
import {
  type AttemptRecord,
  type AttemptsParams,
  type ChildRecord,
  fromWire,
  type HistoryParams,
  type HistoryRecord,
  type MomentParams,
  type MomentRecord,
  type SseType,
} from "millrace/wire";
import type { CallOptions } from "../call.types.js";
import type {
  AttemptsOptions,
  ChildRun,
  HistoryEntry,
  HistoryOptions,
  MomentOptions,
  RunMoment,
} from "../history.types.js";
import { type Call, pathTo } from "../http/transport.js";
import { closable } from "../stream/closable.js";
import { type Follow, follow } from "../stream/follow.js";
import { type DecodeOptions, decodeEvent } from "../wire/event.js";
import { toPrompts } from "../wire/handler-record.js";
import type { Connection } from "./handler-calls.js";

/** Where the next page begins. Checked: a missing or repeated position would loop for ever. */
function nextOf({ next }: { readonly next: number | null }, from: number): number | null {
  if (next === null || (Number.isInteger(next) && next > from)) return next;
  throw new TypeError(`next: ${next}`);
}

export interface Paged<Read, Item> {
  readonly call: Call;
  readonly field: string;
  readonly after: number;
  readonly read: (record: Read) => Item;
}

/** Requests the next page when the one before is read. */
export async function* eachItem<Read, Item>(
  { transport }: Pick<Connection, "transport">,
  { call, field, after, read }: Paged<Read, Item>,
): AsyncGenerator<Item, void> {
  for (let from: number | null = after; from !== null; ) {
    const start: number = from;
    type Answer = { readonly [field: string]: readonly Read[] } & { readonly next: number | null };
    const page = await transport.read({ ...call, query: { after: start, ...call.query } }, field, (answer: Answer) => {
      return { items: (answer[field] as readonly Read[]).map(read), next: nextOf(answer, start) };
    });
    yield* page.items;
    from = page.next;
  }
}

/** A server takes 0 for all, also for how a fork began, which is entry 0. */
export async function* readHistory(
  connection: Connection,
  handlerId: string,
  options: HistoryOptions,
): AsyncGenerator<HistoryEntry, void> {
  const { after = -1, pageSize: limit, signal } = options;
  const query: HistoryParams = { limit, ...selection(options) };
  const call: Call = { method: "GET", path: pathTo("/handlers/{id}/history", { id: handlerId }), query, signal };
  const entries = eachItem(connection, { call, field: "entries", after: Math.max(0, after), read: toEntry });
  for await (const entry of entries) if (entry.number > after) yield entry;
}

export function followHistory(
  { transport }: Connection,
  handlerId: string,
  { after = -1, signal: given, ...options }: HistoryOptions,
): AsyncIterable<HistoryEntry> {
  const path = pathTo("/handlers/{id}/history", { id: handlerId });
  const query = (last: number | "now"): HistoryParams => {
    return { sse: "true", after: Math.max(0, Number(last)), ...selection(options) };
  };
  const read: Follow<HistoryEntry>["read"] = (json, { event }) => {
    if (event === ("end" satisfies SseType)) return null;
    const record = Object(json) as HistoryRecord;
    return Number.isInteger(record.number) ? { number: record.number, item: toEntry(record) } : undefined;
  };
  return closable([given], (signal) => follow({ transport, path, after, signal, query, noun: "entry", read }));
}

function selection({ before, types, changes }: HistoryOptions): HistoryParams {
  return { before, types: types?.join(","), changes: changes === true ? "true" : undefined };
}

function toEntry(record: HistoryRecord): HistoryEntry {
  return fromWire(record);
}

export function readAttempts(
  connection: Connection,
  handlerId: string,
  { after = 0, pageSize: limit, signal }: AttemptsOptions,
): AsyncGenerator<RunAttempt, void> {
  const query: AttemptsParams = { limit };
  const call: Call = { method: "GET", path: pathTo("/handlers/{id}/attempts", { id: handlerId }), query, signal };
  return eachItem(connection, { call, field: "attempts", after, read: toAttempt });
}

function toAttempt({ waits, calls, ...attempt }: AttemptRecord): RunAttempt {
  return { ...fromWire(attempt), waits: waits.map(fromWire), calls: calls.map(fromWire) };
}

export function readMoment(
  { transport, classes }: Connection,
  handlerId: string,
  { tick, childId, item, signal }: MomentOptions & { readonly tick: number },
): Promise<RunMoment> {
  const query: MomentParams = { run_id: childId, item };
  const call: Call = {
    method: "GET",
    path: pathTo("/handlers/{id}/at/{tick}", { id: handlerId, tick: `${tick}` }),
    query,
    signal,
  };
  const options = { classes, request: transport.requestFacts(call) };
  return transport.read(call, "steps", (moment: MomentRecord) => toMoment(moment, options));
}

function toMoment(
  { waiting, steps, prompts, next, input, ...moment }: MomentRecord,
  options: DecodeOptions,
): RunMoment {
  return {
    ...fromWire(moment),
    isWaiting: waiting,
    steps: steps.map(fromWire),
    prompts: toPrompts(prompts, options),
    next: next.map(({ event, ...delivery }) => ({ ...fromWire(delivery), event: decodeEvent(event, options) })),
    input: input && { ...input, events: input.events.map((event) => decodeEvent(event, options)) },
  };
}

export function readChildren(
  { transport }: Connection,
  handlerId: string,
  { signal }: CallOptions,
): Promise<readonly ChildRun[]> {
  const call: Call = {
    method: "GET",
    path: pathTo("/handlers/{id}", { id: handlerId }),
    query: { children: "true" },
    signal,
  };
  return transport.read(call, "children", ({ children }: { readonly children: readonly ChildRecord[] }) =>
    children.map(fromWire),
  );
}
