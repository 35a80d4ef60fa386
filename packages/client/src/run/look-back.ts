/**
 * What became of a run: its ticks, its attempts, a moment of it, its children.
 *
 * @module
 */
import type {
  AttemptsOptions,
  CallOptions,
  ChildRun,
  HistoryEntry,
  HistoryOptions,
  RunAttempt,
  RunMoment,
} from "../client.types.js";
import { invalidAnswer, type RequestFacts } from "../http/answer-error.js";
import type { Call } from "../http/transport.js";
import { follow, type Numbered } from "../stream/follow.js";
import type { SseFrame } from "../stream/sse.js";
import type { AttemptRecord, ChildRecord, HistoryRecord, MomentRecord } from "../wire/contract.types.js";
import { decodeEvent } from "../wire/event.js";
import { toPrompts } from "../wire/handler-record.js";
import { type Connection, handlerPath } from "./handler-calls.js";

interface HistoryPage {
  readonly entries: readonly HistoryRecord[];
  readonly next: number | null;
}

export async function* readHistory(
  connection: Connection,
  handlerId: string,
  options: HistoryOptions,
): AsyncGenerator<HistoryEntry, void> {
  if (options.follow === true) return yield* followHistory(connection, handlerId, options);
  const { transport } = connection;
  const { after = 0, pageSize, signal } = options;
  const path = `${handlerPath(handlerId)}/history`;
  for (let from: number | null = after; from !== null; ) {
    const query = { after: from, limit: pageSize, ...selection(options) };
    const page: HistoryPage = await transport.json({ method: "GET", path, query, signal }, "entries");
    yield* page.entries.map(toEntry);
    from = page.next;
  }
}

async function* followHistory(
  { transport }: Connection,
  handlerId: string,
  options: HistoryOptions,
): AsyncGenerator<HistoryEntry, void> {
  const path = `${handlerPath(handlerId)}/history`;
  const request = { method: "GET", url: `${transport.options.baseUrl}${path}` };
  const { after = -1, signal } = options;
  const query = (last: number | "now") => ({ sse: "true", after: Math.max(0, Number(last)), ...selection(options) });
  yield* follow<HistoryEntry>({ transport, path, after, signal, query, parse: (frame) => parseEntry(frame, request) });
}

function parseEntry({ event, data }: SseFrame, request: RequestFacts): Numbered<HistoryEntry> | null {
  if (event === "end") return null;
  try {
    const record = JSON.parse(data) as HistoryRecord;
    if (Number.isInteger(record.number)) return { number: record.number, item: toEntry(record), isLast: false };
  } catch {
    // Text that is not JSON is treated like JSON that is no entry.
  }
  throw invalidAnswer(`a frame that is no entry: ${data.slice(0, 100)}`, request);
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
    const query = { after: from, limit: pageSize };
    const page: AttemptsPage = await transport.json({ method: "GET", path, query, signal }, "attempts");
    for (const attempt of page.attempts)
      yield renamed<RunAttempt>({ ...attempt, waits: attempt.waits.map((wait) => renamed(wait)) });
    from = page.next;
  }
}

/** Those that are not the same with capitals, or with `Ms` behind `at`. */
const names: Readonly<Record<string, string>> = {
  workflow_name: "workflow",
  final: "isFinal",
  from: "fromMs",
  to: "toMs",
  until: "untilMs",
};

/** A record with the names that the client has for its fields, and times as numbers. */
function renamed<Renamed>(record: object): Renamed {
  const pairs = Object.entries(record).map(([given, value]) => {
    const name = names[given] ?? given.replace(/_at$/, "_atMs").replace(/_(.)/g, (_, letter) => letter.toUpperCase());
    return [name, typeof value === "string" && name.endsWith("Ms") ? Date.parse(value) : value];
  });
  return Object.fromEntries(pairs) as Renamed;
}

export async function readMoment(
  { transport, classes }: Connection,
  handlerId: string,
  { tick, signal }: CallOptions & { readonly tick: number },
): Promise<RunMoment> {
  const call: Call = { method: "GET", path: `${handlerPath(handlerId)}/at/${tick}`, signal };
  const { number, at, status, waiting, state, steps, prompts, next } = await transport.json<MomentRecord>(
    call,
    "steps",
  );
  const options = { classes, request: transport.requestFacts(call) };
  return {
    number,
    atMs: Date.parse(at),
    status,
    isWaiting: waiting,
    state,
    steps: steps.map((counts) => renamed(counts)),
    prompts: toPrompts(prompts, options),
    next: next.map(({ item, step, event }) => ({ item, step, event: decodeEvent(event, options) })),
  };
}

export async function readChildren(
  { transport }: Connection,
  handlerId: string,
  { signal }: CallOptions,
): Promise<readonly ChildRun[]> {
  const call: Call = { method: "GET", path: handlerPath(handlerId), query: { children: "true" }, signal };
  const { children } = await transport.json<{ children: ChildRecord[] }>(call, "children");
  return children.map((child) => renamed(child));
}
