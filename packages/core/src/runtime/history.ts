/**
 * What happened to a run, what it was at any tick, and what its code of today would make of it.
 *
 * @module
 */
import type { ContextDict } from "../context/context.types.js";
import type { Tick } from "../engine/tick.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { type LoadedTree, type LoadFrom, loadTree, prefacesOf, steps } from "./load.js";
import type { RunStore, StoredRun } from "./run-store.types.js";
import type { RunTree } from "./run-tree.js";
import type { CheckProblem, CheckReport } from "./runtime.types.js";
import { isNotBegun, readStart } from "./start-text.js";
import type { WorkflowBook } from "./workflow-book.js";

export interface HistoryEntry {
  /** For `stateAt` and `fork`. From 1. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** The run that it happened to: this one, or a child. */
  readonly runId: string;
  readonly tick: Tick;
}

/** From the oldest tick that is kept. */
export async function* historyOf(from: LoadFrom): AsyncGenerator<HistoryEntry, void> {
  const oldest = await loadOldest(from);
  const { runId } = from.run.key;
  for await (const step of steps(from, oldest)) {
    if (step.kind === "code" || step.tick === null) continue;
    yield { number: step.number, atMs: step.tick.atMs, runId: step.entry.runId ?? runId, tick: step.tick };
  }
}

/** The run before its oldest tick: new, or as a snapshot has it. */
async function loadOldest(from: LoadFrom): Promise<LoadedTree> {
  const [first] = await from.store.ticks(from.run.key, { after: 0, limit: 1 });
  return loadTree(from, first === undefined ? 0 : first.first - 1);
}

/** @throws {WorkflowError} `OPTION_INVALID` for a tick that never was, `HISTORY_TRIMMED` for one that is no longer kept. */
export async function treeAt(from: LoadFrom, tick: number): Promise<RunTree> {
  const { run } = from;
  if (!Number.isInteger(tick) || tick < 1 || tick > run.ticks) {
    throw new WorkflowError({
      code: "OPTION_INVALID",
      message: `Run "${run.key.runId}" has no tick ${tick}: it has ${run.ticks}.`,
      hint: "Take a number that `runtime.history(runId)` gives.",
      details: { runId: run.key.runId, tick, ticks: run.ticks },
    });
  }
  const loaded = await loadTree(from, tick).catch((error: unknown) => {
    if (WorkflowError.is(error, "JOURNAL_CORRUPT")) throw trimmedOr(from, error, tick);
    throw error;
  });
  return loaded.tree;
}

function trimmedOr({ run }: LoadFrom, cause: WorkflowError, tick: number): WorkflowError {
  return new WorkflowError({
    code: "HISTORY_TRIMMED",
    message: `Tick ${tick} of run "${run.key.runId}" cannot be rebuilt: ${cause.message}`,
    hint: "Keep more with `history: { keep }`, or all of it.",
    details: { runId: run.key.runId, tick },
    cause,
  });
}

export function contextOf(tree: RunTree): ContextDict {
  return { ...tree.toDict(), workflow: tree.root.compiled.name } as unknown as ContextDict;
}

/** How many runs are asked for at once. */
const PAGE = 200;

/** Loads every run that has not ended, without its lease and without running it. */
export async function checkRuns(store: RunStore, book: WorkflowBook, tenant: string): Promise<CheckReport> {
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
      const problem = await tryLoad(store, book, run);
      if (problem !== null) problems.push(problem);
    }
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return { runs, problems };
}

async function tryLoad(store: RunStore, book: WorkflowBook, run: StoredRun): Promise<CheckProblem | null> {
  const { key, workflow: name } = run;
  try {
    const workflow = book.get(name);
    if (isNotBegun(run)) readStart(run, workflow);
    else prefacesOf(await loadTree({ store, run, workflow }), workflow);
    return null;
  } catch (error) {
    if (!WorkflowError.is(error)) throw error;
    return { runId: key.runId, tenant: key.tenant, workflow: name, code: error.code, message: error.message };
  }
}
