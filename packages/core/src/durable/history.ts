/**
 * What happened to a run, what it was at any tick, and what its code of today would make of it.
 *
 * @module
 */
import type { ContextDict } from "../context/run-context.types.js";
import type { Tick } from "../engine/tick.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { decodeTick } from "../snapshot/tick-codec.js";
import { wrongOption } from "../value/option-value.js";
import type { CheckProblem, CheckReport } from "./check.types.js";
import { entries, keptTicks, type LoadFrom, loadTree, type NumberedTick, prefacesOf, readTick, steps } from "./load.js";
import type { RegisteredWorkflows } from "./registered-workflows.js";
import type { RunStore, StoredRun } from "./run-store.types.js";
import { type RunTree, workflowAt } from "./run-tree.js";
import { isNotBegun, readStart } from "./start-text.js";
import type { ChangedValue } from "./state-changes.js";

export interface HistoryEntry {
  /** For `stateAt` and `fork`. From 1; of a fork, `run.forked` is 0. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** The run that it happened to: this one, or a child. */
  readonly runId: string;
  readonly tick: Tick | RunForked;
}

/** A tick, with what is known of it only from those before. */
export interface DetailedEntry extends HistoryEntry {
  /** Name of the step whose work item the tick is of. Null: it is of none, or the run cannot be rebuilt there. */
  readonly step: string | null;
  readonly item: number | null;
  readonly attempt: number | null;
  /** What it changed in the state of the run that it happened to. */
  readonly changes: readonly ChangedValue[];
}

/** How a fork begins: entry 0 of its history. No tick of its own. */
export interface RunForked {
  readonly type: "run.forked";
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** The run that it comes from, and the tick after which it begins. */
  readonly from: { readonly runId: string; readonly tick: number };
  /** The state that it begins with, edited where `fork` did. */
  readonly state: unknown;
}

/** From the oldest tick that is kept, or after one of them. */
export async function* historyOf(from: LoadFrom, after: number | undefined): AsyncGenerator<HistoryEntry, void> {
  assertAfter(after);
  const { runId } = from.run.key;
  if (after === undefined) yield* originOf(from);
  for await (const { number, entry, tick } of ticksOf(from, after ?? 0)) {
    if (tick !== null) yield { number, atMs: tick.atMs, runId: entry.child?.runId ?? runId, tick };
  }
}

/** @throws {WorkflowError} `OPTION_INVALID` */
export function assertAfter(after: number | undefined): void {
  if (after !== undefined && (!Number.isInteger(after) || after < 0)) throw wrongAfter(after);
}

/** Nothing, for a run that is no fork, and where its beginning is no longer kept. */
export async function* originOf(from: LoadFrom): AsyncGenerator<HistoryEntry & { readonly tick: RunForked }, void> {
  const { key, forkedFrom, createdAtMs: atMs } = from.run;
  if (forkedFrom === null || (await from.store.snapshot(key, 0)) === null) return;
  const { tree } = await loadTree(from, 0);
  const tick = { type: "run.forked", atMs, from: forkedFrom, state: tree.root.state.store } as const;
  yield { number: 0, atMs, runId: key.runId, tick };
}

interface TickOf extends Pick<NumberedTick, "number" | "entry"> {
  /** Null: it changed nothing. */
  readonly tick: Tick | null;
}

export async function* ticksOf(from: LoadFrom, after: number): AsyncGenerator<TickOf, void> {
  const { first } = await keptTicks(from);
  const start = Math.max(after, first - 1);
  for await (const { number, entry } of entries(from, start)) {
    if (entry.child !== null && entry.child.path === null) return yield* repeated(from, number - 1);
    yield { number, entry, tick: readTick(from, number, () => decodeEntry(from, entry)) };
  }
}

/** Where entries have no paths: which workflow a child is of is known from the ticks before, so those are reduced again. */
async function* repeated(from: LoadFrom, after: number): AsyncGenerator<TickOf, void> {
  const loaded = await loadTree(from, after);
  for await (const step of steps(from, loaded)) {
    if (step.kind !== "tick") continue;
    const { number, entry, applied } = step;
    yield { number, entry, tick: applied?.tick ?? readTick(from, number, () => decodeEntry(from, entry)) };
  }
}

/** Null: the entry is of a child, and does not say of which workflow. */
function decodeEntry({ workflow }: LoadFrom, { child, json }: NumberedTick["entry"]): Tick | null {
  if (child === null) return decodeTick(json, workflow.compiled);
  if (child.path === null) return null;
  return decodeTick(json, workflowAt(workflow.compiled, child.path, `Run "${child.runId}"`));
}

function wrongAfter(after: number): WorkflowError {
  const what = `is ${String(after)}; it must be a whole number from 0 up`;
  return wrongOption("after", what, "Give the number of the last entry that you have read.");
}

/** @throws {WorkflowError} `OPTION_INVALID` for a tick that never was, `HISTORY_TRIMMED` for one that is no longer kept. */
export async function treeAt(from: LoadFrom, tick: number): Promise<RunTree> {
  const { run } = from;
  assertTick(from, tick);
  // Of a fork, ticks alone give no state.
  if (run.forkedFrom !== null && (await from.store.snapshot(run.key, tick)) === null)
    throw trimmed(from, tick, { why: "no snapshot before it is kept." });
  const loaded = await loadTree(from, tick).catch((error: unknown) => {
    if (WorkflowError.is(error, "JOURNAL_CORRUPT")) throw trimmed(from, tick, { why: error.message, cause: error });
    throw error;
  });
  return loaded.tree;
}

/** @throws {WorkflowError} `OPTION_INVALID` for a tick that never was. */
export function assertTick({ run }: LoadFrom, tick: number): void {
  const first = run.forkedFrom === null ? 1 : 0;
  if (!Number.isInteger(tick) || tick < first || tick > run.ticks) {
    throw new WorkflowError({
      code: "OPTION_INVALID",
      message: `Run "${run.key.runId}" has no tick ${tick}: it has ${run.ticks}.`,
      hint: "Take a number that `runtime.history(runId)` gives.",
      details: { runId: run.key.runId, tick, ticks: run.ticks },
    });
  }
}

interface Trimmed {
  readonly why: string;
  readonly cause?: WorkflowError;
}

export function trimmed({ run }: LoadFrom, tick: number, { why, cause }: Trimmed): WorkflowError {
  return new WorkflowError({
    code: "HISTORY_TRIMMED",
    message: `Tick ${tick} of run "${run.key.runId}" cannot be rebuilt: ${why}`,
    hint: "Keep more with `history: { keep }`, or all of it.",
    details: { runId: run.key.runId, tick },
    ...(cause !== undefined && { cause }),
  });
}

export function contextOf(tree: RunTree): ContextDict {
  return { ...tree.toDict(), workflow: tree.root.compiled.name } as unknown as ContextDict;
}

/** How many runs are asked for at once. */
const PAGE = 200;

/** Loads every run that has not ended, without its lease and without running it. */
export async function checkRuns(store: RunStore, workflows: RegisteredWorkflows, tenant: string): Promise<CheckReport> {
  const problems: CheckProblem[] = [];
  let runs = 0;
  let cursor: string | undefined;
  do {
    const page = await store.list({
      tenant,
      status: ["scheduled", "running", "waiting"],
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    for (const run of page.runs) {
      runs++;
      const problem = await tryLoad(store, workflows, run);
      if (problem !== null) problems.push(problem);
    }
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return { runs, problems };
}

async function tryLoad(store: RunStore, workflows: RegisteredWorkflows, run: StoredRun): Promise<CheckProblem | null> {
  const { key, workflow: name } = run;
  try {
    const workflow = workflows.get(name);
    if (isNotBegun(run)) readStart(run, workflow);
    else prefacesOf(await loadTree({ store, run, workflow }), workflow);
    return null;
  } catch (error) {
    if (!WorkflowError.is(error)) throw error;
    return { runId: key.runId, tenant: key.tenant, workflow: name, code: error.code, message: error.message };
  }
}
