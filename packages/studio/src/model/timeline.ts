/**
 * The timeline: a lane per step, items packed into as few rows as ran at once, and one bar per stretch of an attempt.
 *
 * Lanes of child runs follow the lane of the step that started them.
 *
 * @module
 */
import type { AttemptWait, RunAttempt, RunCall } from "@millrace/client";
import { groupBy } from "./group-by.js";
import type { StepNaming } from "./step-names.js";

export type BarKind =
  | "done"
  | "failed"
  /** Failed, and tried again. */
  | "retried"
  | "running"
  | "queued"
  | "cancelled"
  /** Waits for a person or a time. */
  | "waiting"
  /** A child runs. */
  | "child"
  /** Until the next attempt. */
  | "retry";

export interface Bar {
  readonly kind: BarKind;
  readonly row: number;
  readonly fromMs: number;
  /** `null` while it is not over. */
  readonly toMs: number | null;
  readonly fromTick: number;
  readonly attempt: RunAttempt;
  /** Attempts of the item in all. */
  readonly attempts: number;
  /** A call of `ctx.run` in the attempt, drawn within its bar; `null` for the attempt itself. */
  readonly call: RunCall | null;
}

export interface Lane {
  readonly key: string;
  /** Name of the step. */
  readonly step: string;
  readonly label: string;
  /** Name of the workflow for a lane of children; otherwise `null`. */
  readonly child: string | null;
  /** 0 for the run itself. */
  readonly depth: number;
  readonly rows: number;
  readonly items: number;
  readonly retries: number;
  readonly failures: number;
  /** Children whose attempts the lane shows. */
  readonly runIds: readonly string[];
  readonly bars: readonly Bar[];
}

export interface TimelineFacts {
  readonly runId: string;
  readonly naming: StepNaming;
}

/** @param attempts In the order in which they started. */
export function lanesOf(attempts: readonly RunAttempt[], { runId, naming }: TimelineFacts): readonly Lane[] {
  const byRun = groupBy(attempts, ({ runId }) => runId);
  const ofRuns = (runIds: readonly string[], depth: number, place: string): Lane[] => {
    const own = runIds.flatMap((id) => byRun.get(id) ?? []);
    const lanes: Lane[] = [];
    for (const [step, list] of groupBy(own, (attempt) => naming(attempt.step, attempt.runId).owner)) {
      const { label, isInner } = naming(step, list[0]?.runId ?? "");
      // Of the internal steps of pipelines, only those that ask a question are shown.
      const shown = isInner ? list.filter((attempt) => attempt.step !== step) : list;
      if (shown.length === 0) continue;
      const key = `${place}${step}`;
      lanes.push(laneOf(shown, { key, step, label, depth, runIds }));
      const children = list.flatMap(({ waits }) => waits.flatMap(({ runId }) => (runId === undefined ? [] : [runId])));
      const known = [...new Set(children)].filter((id) => byRun.has(id));
      for (const [workflow, ids] of groupBy(known, (id) => byRun.get(id)?.[0]?.workflow ?? "")) {
        lanes.push(...ofRuns(ids, depth + 1, `${key}›${workflow}›`));
      }
    }
    return lanes;
  };
  return ofRuns([runId], 0, "");
}

interface LaneFacts {
  readonly key: string;
  readonly step: string;
  readonly label: string;
  readonly depth: number;
  readonly runIds: readonly string[];
}

function laneOf(attempts: readonly RunAttempt[], { key, step, label, depth, runIds }: LaneFacts): Lane {
  const own = attempts.filter((attempt) => attempt.step === step);
  const items = [...groupBy(attempts, ({ runId, item }) => `${runId}#${item}`).values()];
  const ends: number[] = [];
  const bars: Bar[] = [];
  for (const list of items) {
    const startMs = (list[0] as RunAttempt).startedAtMs;
    const free = ends.findIndex((endMs) => endMs <= startMs);
    const row = free === -1 ? ends.length : free;
    ends[row] = endOf(list);
    for (const [index, attempt] of list.entries())
      bars.push(...barsOf(attempt, list[index + 1], { row, of: list.length }));
  }
  return {
    key,
    step,
    label,
    depth,
    child: depth === 0 ? null : (attempts[0]?.workflow ?? null),
    rows: Math.max(1, ends.length),
    items: itemsIn(own),
    retries: own.length - itemsIn(own),
    failures: attempts.filter(({ status }) => status === "failed" || status === "retrying").length,
    runIds,
    bars,
  };
}

function itemsIn(attempts: readonly RunAttempt[]): number {
  return new Set(attempts.map(({ runId, item }) => `${runId}#${item}`)).size;
}

/** When the row is free again: an item keeps it until its last attempt has ended. */
function endOf(list: readonly RunAttempt[]): number {
  const { endedAtMs, retryAtMs } = list.at(-1) as RunAttempt;
  if (endedAtMs === null) return Number.POSITIVE_INFINITY;
  return Math.max(endedAtMs, retryAtMs ?? 0);
}

interface Place {
  readonly row: number;
  /** Attempts of the item. */
  readonly of: number;
}

function barsOf(attempt: RunAttempt, next: RunAttempt | undefined, { row, of }: Place): Bar[] {
  const bars: Bar[] = [];
  const whole = kindOf(attempt, next);
  const add = (kind: BarKind, span: { fromMs: number; toMs: number | null; fromTick: number }): void => {
    bars.push({ kind, row, ...span, attempt, attempts: of, call: null });
  };
  let fromMs = attempt.startedAtMs;
  let fromTick = attempt.startedTick;
  for (const wait of withoutOverlap(attempt.waits)) {
    if (wait.fromMs > fromMs) {
      add(whole === "running" ? "done" : whole, { fromMs, toMs: wait.fromMs, fromTick });
    }
    const { fromMs: waitsFromMs, toMs } = wait;
    add(waitKinds[wait.kind], { fromMs: waitsFromMs, toMs: toMs ?? attempt.endedAtMs, fromTick: wait.fromTick });
    if (toMs === null) return [...bars, ...retryBar(attempt, next, { row, of }), ...callBars(attempt, { row, of })];
    fromMs = toMs;
    fromTick = wait.toTick ?? wait.fromTick;
  }
  add(whole, { fromMs, toMs: attempt.endedAtMs, fromTick });
  return [...bars, ...retryBar(attempt, next, { row, of }), ...callBars(attempt, { row, of })];
}

const waitKinds: Readonly<Record<AttemptWait["kind"], BarKind>> = {
  event: "waiting",
  sleep: "waiting",
  child: "child",
  retry: "retry",
};
const callKinds: Readonly<Record<RunCall["status"], BarKind>> = {
  running: "running",
  waiting: "retried",
  completed: "done",
  failed: "failed",
  interrupted: "cancelled",
};

/** Bars of calls that took time: calls without a duration are left out. */
function callBars(attempt: RunAttempt, { row, of: attempts }: Place): Bar[] {
  const long = attempt.calls.filter(({ startedAtMs, endedAtMs }) => endedAtMs !== startedAtMs);
  return long.map((call) => ({ ...callBar(attempt, call), row, attempts }));
}

export function callBar(attempt: RunAttempt, call: RunCall): Omit<Bar, "row" | "attempts"> {
  const { status, startedAtMs: fromMs, startedTick: fromTick, endedAtMs: toMs } = call;
  return { kind: callKinds[status], fromMs, toMs, fromTick, attempt, call };
}

/** Waits at the same time are drawn as one after the other: of two children the row shows the first, then the rest of the second. */
function withoutOverlap(waits: readonly AttemptWait[]): readonly AttemptWait[] {
  const shown: AttemptWait[] = [];
  for (const wait of [...waits].sort((one, other) => one.fromMs - other.fromMs)) {
    const before = shown.at(-1);
    if (before === undefined) shown.push(wait);
    else if (before.toMs === null) break;
    else if (wait.fromMs >= before.toMs) shown.push(wait);
    else if (wait.toMs === null || wait.toMs > before.toMs) shown.push({ ...wait, fromMs: before.toMs });
  }
  return shown;
}

function retryBar(attempt: RunAttempt, next: RunAttempt | undefined, { row, of: attempts }: Place): Bar[] {
  const { endedAtMs, endedTick, retryAtMs } = attempt;
  if (endedAtMs === null || attempt.isFinal || attempt.status === "completed") return [];
  const toMs = next?.startedAtMs ?? retryAtMs;
  if (toMs === null || toMs <= endedAtMs) return [];
  const fromTick = endedTick ?? 0;
  return [{ kind: "retry", row, fromMs: endedAtMs, toMs, fromTick, attempt, attempts, call: null }];
}

function kindOf({ status, isFinal, endedAtMs }: RunAttempt, next: RunAttempt | undefined): BarKind {
  if (status === "completed") return "done";
  if (status === "cancelled" || status === "restarted") return "cancelled";
  if (status === "queued") return "queued";
  if (status === "retrying") return "retried";
  if (status === "failed") return isFinal && next === undefined ? "failed" : "retried";
  return endedAtMs === null ? "running" : "done";
}
