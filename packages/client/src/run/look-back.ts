/**
 * What became of a run: its ticks, its attempts, a moment of it, its children.
 *
 * @module
 */
import type { RunAttempt } from "millrace/runtime";
import type {
  AttemptsOptions,
  CallOptions,
  ChildRun,
  HistoryEntry,
  HistoryOptions,
  MomentOptions,
  RunMoment,
} from "../client.types.js";
import type { Call } from "../http/transport.js";
import { closable } from "../stream/closable.js";
import { type Follow, follow } from "../stream/follow.js";
import type { AttemptRecord, ChildRecord, HistoryRecord, MomentRecord } from "../wire/contract.types.js";
import { type DecodeOptions, decodeEvent } from "../wire/event.js";
import { toPrompts } from "../wire/handler-record.js";
import { renamed } from "../wire/renamed.js";
import { type Connection, handlerPath } from "./handler-calls.js";

interface HistoryPage {
  readonly entries: readonly HistoryRecord[];
  readonly next: number | null;
}

/** Where the next page begins. A server that does not say so, or says where this page began, would be asked for ever. */
function nextOf({ next }: { readonly next: number | null }, from: number): number | null {
  if (next === null || (Number.isInteger(next) && next > from)) return next;
  throw new TypeError(`next: ${next}`);
}

export async function* readHistory(
  { transport }: Connection,
  handlerId: string,
  options: HistoryOptions,
): AsyncGenerator<HistoryEntry, void> {
  const { after = 0, pageSize, signal } = options;
  const path = `${handlerPath(handlerId)}/history`;
  for (let from: number | null = after; from !== null; ) {
    const start: number = from;
    const call: Call = { method: "GET", path, query: { after: start, limit: pageSize, ...selection(options) }, signal };
    const page = await transport.read(call, "entries", (answer: HistoryPage) => {
      return { entries: answer.entries.map(toEntry), next: nextOf(answer, start) };
    });
    yield* page.entries;
    from = page.next;
  }
}

export function followHistory(
  { transport }: Connection,
  handlerId: string,
  { after = -1, signal: given, ...options }: HistoryOptions,
): AsyncIterable<HistoryEntry> {
  const path = `${handlerPath(handlerId)}/history`;
  const query = (last: number | "now") => ({ sse: "true", after: Math.max(0, Number(last)), ...selection(options) });
  const read: Follow<HistoryEntry>["read"] = (json, { event }) => {
    if (event === "end") return null;
    const record = Object(json) as HistoryRecord;
    return Number.isInteger(record.number) ? { number: record.number, item: toEntry(record) } : undefined;
  };
  return closable([given], (signal) => follow({ transport, path, after, signal, query, noun: "entry", read }));
}

function selection({ before, types, changes }: HistoryOptions): NonNullable<Call["query"]> {
  return { before, types: types?.join(","), changes: changes === true ? "true" : undefined };
}

/** Servers of before name no step. */
function toEntry({ number, at, run_id: runId, step, item, attempt, changes, tick }: HistoryRecord): HistoryEntry {
  const of = { step: step ?? null, item: item ?? null, attempt: attempt ?? null };
  return { number, atMs: Date.parse(at), runId, ...of, ...(changes !== undefined && { changes }), tick };
}

interface AttemptsPage {
  readonly attempts: readonly AttemptRecord[];
  readonly next: number | null;
}

export async function* readAttempts(
  { transport }: Connection,
  handlerId: string,
  { after = 0, pageSize, signal }: AttemptsOptions,
): AsyncGenerator<RunAttempt, void> {
  const path = `${handlerPath(handlerId)}/attempts`;
  for (let from: number | null = after; from !== null; ) {
    const start: number = from;
    const call: Call = { method: "GET", path, query: { after: start, limit: pageSize }, signal };
    const page = await transport.read(call, "attempts", (answer: AttemptsPage) => {
      return { attempts: answer.attempts.map(toAttempt), next: nextOf(answer, start) };
    });
    yield* page.attempts;
    from = page.next;
  }
}

function toAttempt(attempt: AttemptRecord): RunAttempt {
  return renamed<RunAttempt>({ ...attempt, waits: attempt.waits.map((wait) => renamed(wait)) });
}

export function readMoment(
  { transport, classes }: Connection,
  handlerId: string,
  { tick, childId, signal }: MomentOptions & { readonly tick: number },
): Promise<RunMoment> {
  const query = { run_id: childId };
  const call: Call = { method: "GET", path: `${handlerPath(handlerId)}/at/${tick}`, query, signal };
  const options = { classes, request: transport.requestFacts(call) };
  return transport.read(call, "steps", (moment: MomentRecord) => toMoment(moment, options));
}

function toMoment(
  { number, at, status, waiting, state, steps, prompts, next, closed }: MomentRecord,
  options: DecodeOptions,
): RunMoment {
  return {
    number,
    atMs: Date.parse(at),
    status,
    isWaiting: waiting,
    state,
    steps: steps.map((counts) => renamed(counts)),
    prompts: toPrompts(prompts, options),
    next: next.map(({ event, ...delivery }) => ({ ...renamed(delivery), event: decodeEvent(event, options) })),
    closed,
  };
}

export function readChildren(
  { transport }: Connection,
  handlerId: string,
  { signal }: CallOptions,
): Promise<readonly ChildRun[]> {
  const call: Call = { method: "GET", path: handlerPath(handlerId), query: { children: "true" }, signal };
  return transport.read(call, "children", ({ children }: { readonly children: readonly ChildRecord[] }) =>
    children.map((child) => renamed<ChildRun>(child)),
  );
}
