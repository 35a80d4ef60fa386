/**
 * Loads a run from the store: the latest snapshot, and every tick since. Also the journals that a claim reads together.
 *
 * @module
 */

import { WorkflowError } from "../../../errors/workflow-error.js";
import {
  type AppliedTick,
  checkShape,
  type DefinitionGraph,
  type HashedDefinition,
  RunTree,
  type Snapshot,
} from "../../../host.js";
import { afterTurn, freeHeapBytes, isTurnOver } from "../../../system/system.js";
import { anything, object, text } from "../../../value/shape.js";
import { idOf } from "../../store/run-key.js";
import type {
  RunKey,
  RunStore,
  StoredJournal,
  StoredRun,
  StoredSnapshot,
  TickBatch,
} from "../../store/run-store.types.js";
import { runTooLarge } from "../../store/store-kit.js";
import { unpackJson } from "../../text/blob-text.js";
import { corrupt, type JournalEntry, parseJson, readBatch } from "../../text/journal-text.js";
import { isNotBegun } from "../../text/record-text.js";
import type { RegisteredWorkflow } from "../workflows/registered-workflows.js";

/** Number of batches that are read at once. */
const PAGE = 500;

export interface LoadedTree {
  readonly tree: RunTree;
  /** Number of the last tick in it. */
  ticks: number;
  readonly snapshotAt: number;
}

/** Reads of a load. */
export type RunReads = Pick<RunStore, "snapshot" | "ticks" | "blob">;

/** Where a run is stored. */
export interface From {
  readonly store: RunReads;
  readonly run: StoredRun;
}

export interface LoadFrom extends From {
  readonly workflow: RegisteredWorkflow;
}

/** A run and its children as a snapshot of them is stored. */
export interface StoredRunJson {
  /** Hash of the code of the run. */
  readonly code: string;
  readonly run: Snapshot;
}

/** One tick of the journal, with its number. */
export interface NumberedTick {
  readonly number: number;
  readonly entry: Extract<JournalEntry, { readonly kind: "tick" }>;
  /** `null` if it changed nothing (see `RunTree.apply`). */
  readonly applied: AppliedTick | null;
}

/**
 * @param upTo The last tick that counts. @default all
 * @throws {WorkflowError} `JOURNAL_CORRUPT`, and what `Context.fromDict` throws for a snapshot.
 */
export async function loadTree(from: LoadFrom, upTo: number = Number.MAX_SAFE_INTEGER): Promise<LoadedTree> {
  for (let tried: number | undefined; ; ) {
    const snapshot = await from.store.snapshot(from.run.key, upTo);
    const ticks = snapshot?.tick ?? 0;
    try {
      const loaded = { tree: await begin(from, snapshot), ticks, snapshotAt: ticks };
      for await (const { number } of steps(from, loaded, upTo)) loaded.ticks = number;
      return loaded;
    } catch (error) {
      // Its owner may have deleted what follows the snapshot, and has then stored a later one.
      if (tried === ticks || !WorkflowError.is(error, "JOURNAL_CORRUPT")) throw error;
      tried = ticks;
    }
  }
}

/** Applies every tick after `loaded.ticks` to the tree, and yields each. */
export async function* steps(
  from: LoadFrom,
  { tree, ticks }: Pick<LoadedTree, "tree" | "ticks">,
  upTo: number = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<NumberedTick, void> {
  for await (const { number, entry, code } of entries(from, ticks, upTo)) {
    if (code !== null) tree.code = await readCode(from, code);
    yield { number, entry, applied: readTick(from, number, () => tree.apply(entry)) };
  }
}

export interface NumberedEntry extends Pick<NumberedTick, "number" | "entry"> {
  /** Hash of the code of the run from this tick on; `null` if it is unchanged. */
  readonly code: string | null;
}

/** Every tick after a number, as it is stored. Lets the host have its turns. */
export async function* entries(
  from: LoadFrom,
  after: number,
  upTo: number = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<NumberedEntry, void> {
  const { clock } = from.workflow.host.ports;
  let number = after;
  const gap = () => corrupt(where(from), `has no tick ${number + 1}`);
  for await (const batch of batches(from, after, upTo)) {
    if (batch.first > number + 1) throw gap();
    let at = batch.first - 1;
    let code: string | null = null;
    const place = `${where(from)}, ticks ${batch.first} to ${batch.last},`;
    for (const entry of readBatch(await readText(from, batch.text, place), place)) {
      if (entry.kind === "code") {
        code = entry.hash;
        continue;
      }
      at++;
      if (at > upTo) return;
      if (at > number) {
        number = at;
        yield { number, entry, code };
        if (isTurnOver(clock.now())) await new Promise<void>((resolve) => afterTurn(clock, resolve));
      }
      code = null;
    }
  }
  if (number < Math.min(upTo, from.run.ticks)) throw gap();
}

/** @throws {WorkflowError} the error of the tick that cannot be read, with its number: a fork may begin at the tick before. */
export function readTick<Read>(from: From, number: number, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!WorkflowError.is(error)) throw error;
    throw new WorkflowError({
      code: error.code,
      message: `Tick ${number} of ${where(from)} cannot be read: ${error.message}`,
      hint: `${error.hint} Or begin a new run before it: \`runtime.fork(runId, { at: ${number - 1} })\`.`,
      details: { ...error.details, runId: from.run.key.runId, tick: number },
      cause: error,
    });
  }
}

/** Numbers of the oldest and the last tick that are kept. Without ticks, the first is the number of the tick that comes next. */
export async function keptTicks({ store, run }: From): Promise<{ readonly first: number; readonly last: number }> {
  const [oldest] = await store.ticks(run.key, { after: 0, limit: 1 });
  return { first: oldest?.first ?? run.ticks + 1, last: run.ticks };
}

/** No batch is empty, so a limit in ticks is a limit in batches. */
export async function* batches({ store, run }: From, after: number, upTo: number): AsyncGenerator<TickBatch, void> {
  let position = after;
  while (position < upTo) {
    const limit = Math.min(PAGE, upTo - position);
    const page = await store.ticks(run.key, { after: position, limit });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return;
    position = last.last;
  }
}

async function begin(from: LoadFrom, snapshot: StoredSnapshot | null): Promise<RunTree> {
  const { run, workflow } = from;
  const { compiled } = workflow;
  if (snapshot === null) return RunTree.begin(run.key.runId, compiled, await readCode(from, run.code));
  const stored = checkShape(storedRun, await readText(from, snapshot.text, where(from)), "snapshot");
  return RunTree.restore(stored.run, compiled, await readCode(from, stored.code));
}
const storedRun = object({ run: anything, code: text });

/** The last other code that was read of each workflow: after a deploy, most runs have the same one. */
const otherCode: WeakMap<RegisteredWorkflow, HashedDefinition> = new WeakMap();

async function readCode(from: LoadFrom, hash: string): Promise<HashedDefinition> {
  const { code } = from.workflow;
  const other = otherCode.get(from.workflow);
  if (hash === code.hash) return code;
  if (hash === other?.hash) return other;
  const graph = parseJson(await readBlob(from, hash), where(from)) as DefinitionGraph | null;
  const isCode = Array.isArray(graph?.workflows) && graph.workflows.every(({ definition }) => definition?.steps);
  if (!isCode) throw corrupt(where(from), `names the code ${hash}, which is not a definition`);
  const read = { hash, graph: graph as DefinitionGraph };
  otherCode.set(from.workflow, read);
  return read;
}

/** Estimate of the bytes that a load needs per character of stored text: for the JSON, and for the run. */
const BYTES_PER_CHARACTER = 8;
/** Shorter texts are read without a look at the memory. */
const SHORT = 1_000_000;

/** @throws {WorkflowError} `RUN_TOO_LARGE`, before the shared memory of the process is used up. */
export function readText(from: From, text: string, place: string): Promise<unknown> {
  let characters = 0;
  const freeBytes = freeHeapBytes();
  const parse = (json: string): unknown => {
    characters += json.length;
    assertRoom(from.run.key, { characters, freeBytes });
    return parseJson(json, place);
  };
  return unpackJson(text, { read: (hash) => readBlob(from, hash), parse });
}

/**
 * @param freeBytes Free memory before any of the text was read; `null` if the host does not report it.
 * @throws {WorkflowError} `RUN_TOO_LARGE`
 */
export function assertRoom(
  key: RunKey,
  { characters, freeBytes }: { readonly characters: number; readonly freeBytes: number | null },
): void {
  const neededBytes = characters * BYTES_PER_CHARACTER;
  if (characters > SHORT && freeBytes !== null && neededBytes > freeBytes)
    throw runTooLarge(key, { characters, neededBytes, freeBytes });
}

function readBlob(from: From, hash: string): Promise<string> {
  return blobOf(from.store, hash, where(from));
}

/** @param who Names the run, as in `run "a1"`. */
export async function blobOf(store: Pick<RunStore, "blob">, hash: string, who: string): Promise<string> {
  const text = await store.blob(hash);
  if (text === null) throw corrupt(who, `names the blob ${hash}, which is missing`);
  return text;
}

export function where({ run }: Pick<From, "run">): string {
  return `run "${run.key.runId}"`;
}

// ---- journals of claimed runs that one read has fetched; a journal that it left out is read by itself

/** Most characters of one read, so that large runs are loaded one by one, and each is refused by itself where memory is short. */
const MAX_LENGTH = 4_000_000;

/** Returns them by id. Reads nothing from a store that is near. */
export async function fetchJournals(
  store: RunStore,
  runs: readonly StoredRun[],
): Promise<ReadonlyMap<string, StoredJournal>> {
  const keys = runs.filter((run) => !isNotBegun(run)).map(({ key }) => key);
  if (store.journals === undefined || keys.length === 0) return new Map();
  try {
    const journals = await store.journals(keys, MAX_LENGTH);
    return new Map(journals.map((journal) => [idOf(journal.key), journal]));
  } catch {
    return new Map(); // each load reads its own and reports its own error: a damaged run keeps no other one from being loaded
  }
}

/** Reads of a run whose journal may have been fetched. */
export function readsOf(store: RunReads, journal: StoredJournal | undefined): RunReads {
  if (journal === undefined) return store;
  const { snapshot, ticks } = journal;
  return readsFrom({ snapshots: snapshot === null ? [] : [snapshot], ticks }, (hash) => store.blob(hash));
}

/** Reads of a run from its rows, each list in order. */
export function readsFrom(
  { snapshots, ticks }: { readonly snapshots: readonly StoredSnapshot[]; readonly ticks: readonly TickBatch[] },
  blob: RunReads["blob"],
): RunReads {
  return {
    snapshot: async (_key, atOrBelow = Number.MAX_SAFE_INTEGER) =>
      snapshots.findLast(({ tick }) => tick <= atOrBelow) ?? null,
    ticks: async (_key, { after, limit }) => ticks.filter(({ last }) => last > after).slice(0, limit),
    blob,
  };
}
