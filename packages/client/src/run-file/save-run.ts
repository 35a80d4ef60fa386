/** Reads all that a server answers about a run into a file. */
import {
  type AttemptRecord,
  type HandlerRecord,
  type HistoryRecord,
  type MomentRecord,
  type Path,
  type PathParam,
  redacted,
  type WorkflowList,
} from "millrace/wire";
import type { ClientOptions } from "../client.types.js";
import { hasCode } from "../client-error.js";
import { openTransport } from "../http/open-transport.js";
import { pathTo, readJson, type Transport } from "../http/transport.js";
import { eachItem } from "../run/history.js";
import { nowMs } from "../system.js";
import type { RunFile, SavedInput, SavedMoment, SavedWorkflow } from "./run-file.types.js";

export interface SaveRunOptions extends Pick<ClientOptions, "baseUrl" | "fetch" | "headers"> {
  /**
   * Names of fields whose texts are replaced before the file is made, such as `["email", "name"]`, also where else the same texts occur.
   * Equal texts have equal replacements. Numbers and dates stay. @default none
   */
  readonly redact?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Reads a run for `millrace open` and for the page of run files: its ticks, attempts and calls, its state after every tick, the graphs of
 * its workflows and, while it has not ended, its snapshot.
 *
 * It makes a request for each tick. A run may be at work meanwhile: later ticks are not in the file.
 *
 * @throws {ClientError} what the server answers, such as `RUN_UNKNOWN`.
 * @example
 * writeFileSync("refund-17.run", await packRunFile(await saveRun("refund-17", { baseUrl, redact: ["email"] })));
 */
export async function saveRun(runId: string, options: SaveRunOptions): Promise<RunFile> {
  const reader = new RunReader(runId, options);
  const handler = await reader.get<HandlerRecord>("/handlers/{id}", {}, { children: "true" });
  const entries = await reader.list<HistoryRecord>("/handlers/{id}/history", "entries", { changes: "true" });
  const attempts = await reader.list<AttemptRecord>("/handlers/{id}/attempts", "attempts");
  const children = handler.children ?? [];
  const file = {
    handler,
    workflows: await workflowsOf(reader, new Set([handler, ...children].map((run) => run.workflow_name))),
    entries,
    attempts,
    moments: await momentsOf(reader, entries, [runId, ...children.map((child) => child.run_id)]),
    inputs: await inputsOf(reader, attempts),
    snapshot:
      handler.completed_at === null ? await reader.get<Record<string, unknown>>("/handlers/{id}/snapshot", {}) : null,
  };
  const { redact = [] } = options;
  const saved = new Date(nowMs()).toISOString();
  return { format: "millrace.run", version: 1, saved_at: saved, redacted: redact, ...redacted(file, redact, payloads) };
}

/** Fields of the records of the HTTP API whose texts are of users. */
const payloads: ReadonlySet<string> = new Set([
  ...["data", "json", "labels", "message", "stack", "details", "pieces"],
  ...["value", "state", "old", "new", "error", "result"],
]);

/** Requests that are made at the same time. */
const together = 8;
const pageSize = 1000;

class RunReader {
  readonly runId: string;
  readonly #transport: Transport;
  readonly #signal: AbortSignal | undefined;

  constructor(runId: string, { signal, ...options }: SaveRunOptions) {
    this.runId = runId;
    this.#transport = openTransport({ ...options, timeoutMs: 120_000 });
    this.#signal = signal;
  }

  async get<Answer>(
    path: Path,
    params: { readonly [name: string]: string },
    query: Readonly<Record<string, string | number>> = {},
  ): Promise<Answer> {
    const to = pathTo(path, { id: this.runId, ...params } as Readonly<Record<PathParam<Path>, string>>);
    return (await this.#transport.send({ method: "GET", path: to, query, signal: this.#signal }, readJson)) as Answer;
  }

  async list<Item>(path: Path, field: string, query: Readonly<Record<string, string>> = {}): Promise<Item[]> {
    const to = pathTo(path, { id: this.runId } as Readonly<Record<PathParam<Path>, string>>);
    const call = { method: "GET", path: to, query: { ...query, limit: pageSize }, signal: this.#signal } as const;
    const transport = this.#transport;
    const items: Item[] = [];
    for await (const item of eachItem({ transport }, { call, field, after: 0, read: (one: Item) => one }))
      items.push(item);
    return items;
  }
}

/** A workflow that the server does not know any more is in the file by its name only. */
async function workflowsOf(reader: RunReader, names: ReadonlySet<string>): Promise<SavedWorkflow[]> {
  const { details } = await reader.get<WorkflowList>("/workflows", {});
  return Promise.all(
    [...names].map(async (name) => {
      const known = details.find((one) => one.name === name);
      const get = async (path: Path): Promise<unknown> => {
        try {
          return await reader.get<unknown>(path, { name });
        } catch (error) {
          if (hasCode(error, "WORKFLOW_UNKNOWN")) return null;
          throw error;
        }
      };
      return {
        name,
        kind: known?.kind ?? "workflow",
        description: known?.description ?? null,
        schema: await get("/workflows/{name}/schema"),
        events: await get("/workflows/{name}/events"),
        representation: await get("/workflows/{name}/representation"),
      };
    }),
  );
}

async function momentsOf(
  reader: RunReader,
  entries: readonly HistoryRecord[],
  runIds: readonly string[],
): Promise<SavedMoment[]> {
  const wanted = runIds.flatMap((runId) =>
    entries.filter((entry) => entry.number > 0 && isOf(entry.run_id, runId)).map(({ number }) => ({ runId, number })),
  );
  const moments = await inGroups(wanted, async ({ runId, number }) => {
    const ofChild = runId === reader.runId ? {} : { run_id: runId };
    return reader.get<MomentRecord>("/handlers/{id}/at/{tick}", { tick: String(number) }, ofChild);
  });
  const before = new Map<string, MomentRecord>();
  return wanted.map(({ runId, number }, index) => {
    const moment = moments[index] as MomentRecord;
    const fields = changedFields(before.get(runId), moment);
    before.set(runId, moment);
    return { run_id: runId, number, fields };
  });
}

/** A run, or a child of it at any depth. */
function isOf(runId: string, parentId: string): boolean {
  return runId === parentId || runId.startsWith(`${parentId}/`);
}

function changedFields(before: MomentRecord | undefined, { number: _, input: __, ...now }: MomentRecord): object {
  if (before === undefined) return now;
  const earlier: Readonly<Record<string, unknown>> = { ...before };
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(earlier[name])),
  );
}

async function inputsOf(reader: RunReader, attempts: readonly AttemptRecord[]): Promise<SavedInput[]> {
  const first = new Map(attempts.toReversed().map((attempt) => [`${attempt.run_id} ${attempt.item}`, attempt]));
  const inputs = await inGroups([...first.values()].reverse(), async ({ run_id, item, started_tick }) => {
    const ofChild = run_id === reader.runId ? {} : { run_id };
    const query = { ...ofChild, item };
    const { input } = await reader.get<MomentRecord>("/handlers/{id}/at/{tick}", { tick: String(started_tick) }, query);
    return input === null ? [] : [{ run_id, item, input }];
  });
  return inputs.flat();
}

async function inGroups<Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += together) {
    results.push(...(await Promise.all(items.slice(from, from + together).map(read))));
  }
  return results;
}
