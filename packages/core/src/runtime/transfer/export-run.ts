/**
 * Reads a sealed run out of its store.
 *
 * @module
 */
import { classOf, type WorkflowEvent } from "../../host.js";
import { EXPORT_FORMAT, type ExportedHead, type ExportedPart, type ExportOptions } from "../api/history.types.js";
import { checkNames } from "../options/call-options.js";
import type { RunStore, StoredSnapshot } from "../store/run-store.types.js";
import { parseJson, readBatch } from "../text/journal-text.js";
import { readStart } from "../text/record-text.js";
import { batches, blobOf, type LoadFrom, readText, where } from "../worker/load/load.js";

const PAGE = 200;

export interface ExportFrom extends LoadFrom {
  readonly store: RunStore;
  readonly move: string;
  readonly records: NonNullable<ExportOptions["records"]>;
}

export async function* exportRun(from: ExportFrom): AsyncGenerator<ExportedPart, void> {
  let parts = 1;
  for await (const part of partsOf(from)) {
    parts++;
    yield part;
  }
  yield { type: "end", parts };
}

async function* partsOf(from: ExportFrom): AsyncGenerator<ExportedPart, void> {
  yield headOf(from);
  yield* ticksAndSnapshots(from);
  yield* events(from);
  yield* messages(from);
  yield* records(from);
}

function headOf({ run, move }: ExportFrom): ExportedHead {
  const { workflow, status, code, version, ticks, createdAtMs, startAtMs, updatedAtMs } = run;
  const { labels, forkedFrom, queue } = run;
  const [input, waiting] = [run.input, run.waiting].map((text) =>
    text === null ? null : parseJson(text, where({ run })),
  );
  return {
    type: "run",
    format: EXPORT_FORMAT,
    move,
    ...run.key,
    workflow,
    status,
    input,
    code,
    version,
    ticks,
    createdAtMs,
    startAtMs,
    updatedAtMs,
    labels,
    forkedFrom,
    queue,
    waiting,
  };
}

async function* ticksAndSnapshots(from: ExportFrom): AsyncGenerator<ExportedPart, void> {
  const { store, run } = from;
  const given = new Set<string>();
  const codes = async function* (names: readonly string[]): AsyncGenerator<ExportedPart, void> {
    for (const name of names.filter((one) => !given.has(one))) {
      given.add(name);
      yield {
        type: "code",
        name,
        text: name === from.workflow.code.hash ? from.workflow.code.text : await blobOf(store, name, where(from)),
      };
    }
  };
  yield* codes([run.code]);
  for await (const { first, last, atMs, text } of batches(from, 0, Number.MAX_SAFE_INTEGER)) {
    const place = `${where(from)}, ticks ${first} to ${last},`;
    const entries = (await readText(from, text, place)) as readonly unknown[];
    yield* codes(readBatch(entries, place).flatMap((entry) => (entry.kind === "code" ? [entry.hash] : [])));
    yield { type: "ticks", first, last, atMs, entries };
  }
  for await (const { tick, atMs, text } of snapshots(from)) {
    const snapshot = (await readText(from, text, where(from))) as { readonly code: string };
    yield* codes([snapshot.code]);
    yield { type: "snapshot", tick, atMs, snapshot };
  }
}

/** Snapshots, the newest first. */
async function* snapshots({ store, run }: ExportFrom): AsyncGenerator<StoredSnapshot, void> {
  let next = await store.snapshot(run.key);
  while (next !== null) {
    yield next;
    next = next.tick === 0 ? null : await store.snapshot(run.key, next.tick - 1);
  }
}

async function* events(from: ExportFrom): AsyncGenerator<ExportedPart, void> {
  const { store, run } = from;
  let after = -1;
  for (let isLast = false; !isLast; ) {
    const page = await store.events(run.key, { after, limit: PAGE });
    for (const { sequence, atMs, text } of page) {
      const shown = await readText(from, text, `event ${sequence} of ${where(from)}`);
      yield { type: "event", sequence, atMs, shown };
      after = sequence;
    }
    isLast = page.length < PAGE;
  }
}

async function* messages({ store, run }: ExportFrom): AsyncGenerator<ExportedPart, void> {
  let after = 0;
  for (let isLast = false; !isLast; ) {
    const page = await store.received(run.key, { after, limit: PAGE });
    for (const { position, idempotencyKey: key, receipt } of page) {
      yield { type: "received", key, receipt: parseJson(receipt, `a receipt of ${where({ run })}`) };
      after = position;
    }
    isLast = page.length < PAGE;
  }
  for (const { position, idempotencyKey: key, atMs, text } of await store.posts(run.key))
    yield { type: "post", position, key, atMs, message: parseJson(text, `a message to ${where({ run })}`) };
}

/** The records that the start event of the run names, and those that the caller names. */
async function* records({ store, run, workflow, records: given }: ExportFrom): AsyncGenerator<ExportedPart, void> {
  const event = readStart(run, workflow).event as WorkflowEvent;
  const own = classOf(event).runRecords?.(event, run.key.runId) ?? [];
  const named = new Map([...own, ...given].map(({ kind, id }) => [JSON.stringify([kind, id]), { kind, id }]));
  for (const { kind, id } of named.values()) {
    checkNames({ kind, id });
    const record = await store.record({ tenant: run.key.tenant, kind, id });
    if (record !== null)
      yield { type: "record", kind, id, value: parseJson(record.text, `record "${id}" of kind "${kind}"`) };
  }
}
