import type { CommitResult, RecordKey, RecordWrite, RunCommit, RunStore } from "../store/run-store.types.js";
import type { DueEntry } from "../tasks/scheduled-tasks.js";
import { makeStart } from "../worker/commit/new-run.js";
import type { RuntimeParts } from "../worker/workflows/registered-workflows.js";
import { MOST_MISSED, occurrenceId, planMoves, type ScheduleMove } from "./schedule-plan.js";
import {
  type ReadSchedule,
  readSchedule,
  type StoredSchedule,
  scheduleKey,
  scheduleWrites,
} from "./stored-schedule.js";

/** A move as it is written. */
interface Written {
  /** Commit that starts a run; `null` if no run starts. */
  readonly start: RunCommit | null;
  readonly writes: readonly RecordWrite[];
}

interface Starting {
  readonly schedule: StoredSchedule;
  readonly tenant: string;
  readonly atMs: number;
  /** @default the id of the occurrence */
  readonly runId?: string;
}

/**
 * Starts what is due of one schedule. Returns when it occurs next; null: it does not.
 *
 * @throws {WorkflowError} What keeps its input from being read by the code that is here.
 */
export async function fireSchedule(setup: RuntimeParts, { tenant, id }: DueEntry): Promise<number | null> {
  const { store, clock, log } = setup;
  const key = scheduleKey(tenant, id);
  for (;;) {
    const read = await readSchedule(store, key);
    if (read === null || read.schedule.paused) return null;
    const { state, catchUp } = read.schedule;
    const moves = planMoves(read.schedule, state, {
      nowMs: clock.now(),
      isUnderWay: await isUnderWay(store, tenant, read),
    });
    if (moves.length === 0) return state.nextAtMs;
    await writeMoves(setup, written(setup, key, { read, moves }));
    const isTrimmed = moves[0]?.state.skips.some(({ atMs, reason }) => reason === "missed" && atMs === state.nextAtMs);
    if (catchUp === "all" && isTrimmed)
      log.info(`Schedule "${id}" missed more than ${MOST_MISSED} occurrences: only the last ${MOST_MISSED} start.`);
  }
}

async function isUnderWay(store: RunStore, tenant: string, { schedule }: ReadSchedule): Promise<boolean> {
  const { overlap, state } = schedule;
  if (overlap === "allow" || state.last === null) return false;
  const run = await store.run({ tenant, runId: state.last.runId });
  return run !== null && run.outcome === null;
}

/** Each on top of the one before it. */
function written(
  setup: RuntimeParts,
  key: RecordKey,
  { read, moves }: { readonly read: ReadSchedule; readonly moves: readonly ScheduleMove[] },
): Written[] {
  let before = read;
  return moves.map(({ startAtMs: atMs, state }) => {
    const { schedule } = before;
    const { written: after, writes } = scheduleWrites(setup.store, key, { before, after: { ...schedule, state } });
    before = after;
    return { start: atMs === null ? null : startOf(setup, { schedule, tenant: key.tenant, atMs }), writes };
  });
}

/** Stops at the first write that another process has made already: the caller then reads again. */
async function writeMoves({ store }: RuntimeParts, moves: readonly Written[]): Promise<void> {
  const commits = moves.flatMap(({ start, writes }) => (start === null ? [] : [{ ...start, records: writes }]));
  const results: CommitResult[] = commits.length === 0 ? [] : await store.commit(commits);
  const refused = results.findIndex(({ status }) => status !== "stored");
  // There is a run of that id, of a schedule of that name that was deleted: the occurrence has had its run.
  if (results[refused]?.status === "exists") await store.writeRecords(commits[refused]?.records ?? []);
  for (const { start, writes } of moves) if (start === null) await store.writeRecords(writes);
}

/** The commit that creates a run of the schedule. @throws {WorkflowError} What keeps its input from being read here. */
export function startOf(setup: RuntimeParts, { schedule, tenant, atMs, runId }: Starting): RunCommit {
  const { name, labels } = schedule;
  const start = { ...schedule, labels: { ...labels, schedule: name } };
  const key = { tenant, runId: runId ?? occurrenceId(name, atMs) };
  return makeStart(setup, start, { key, startAtMs: atMs, what: `The input of the schedule "${name}"` });
}
