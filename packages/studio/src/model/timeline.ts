/**
 * The timeline: a lane per step, items packed into as few rows as ran at once, and one bar per stretch of an attempt.
 *
 * Lanes of child runs follow the lane of the step that started them.
 *
 * @module
 */
import type { Attempt, Call, Wait } from "../api/contract.types.js";
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
  readonly attempt: Attempt;
  /** Attempts of the item in all. */
  readonly attempts: number;
  /** A call of `ctx.run` in the attempt, drawn within its bar; `null` for the attempt itself. */
  readonly call: Call | null;
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
export function lanesOf(attempts: readonly Attempt[], { runId, naming }: TimelineFacts): readonly Lane[] {
  const byRun = groupBy(attempts, ({ run_id }) => run_id);
  const ofRuns = (runIds: readonly string[], depth: number, place: string): Lane[] => {
    const own = runIds.flatMap((id) => byRun.get(id) ?? []);
    const lanes: Lane[] = [];
    for (const [step, list] of groupBy(own, (attempt) => naming(attempt.step, attempt.run_id).owner)) {
      const { label, isInner } = naming(step, list[0]?.run_id ?? "");
      // Of the internal steps of pipelines, only those that ask a question are shown.
      const shown = isInner ? list.filter((attempt) => attempt.step !== step) : list;
      if (shown.length === 0) continue;
      const key = `${place}${step}`;
      lanes.push(laneOf(shown, { key, step, label, depth, runIds }));
      const children = list.flatMap(({ waits }) =>
        waits.flatMap(({ run_id }) => (run_id === undefined ? [] : [run_id])),
      );
      const known = [...new Set(children)].filter((id) => byRun.has(id));
      for (const [workflow, ids] of groupBy(known, (id) => byRun.get(id)?.[0]?.workflow_name ?? "")) {
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

function laneOf(attempts: readonly Attempt[], { key, step, label, depth, runIds }: LaneFacts): Lane {
  const own = attempts.filter((attempt) => attempt.step === step);
  const items = [...groupBy(attempts, ({ run_id, item }) => `${run_id}#${item}`).values()];
  const ends: number[] = [];
  const bars: Bar[] = [];
  for (const list of items) {
    const startMs = Date.parse((list[0] as Attempt).started_at);
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
    child: depth === 0 ? null : (attempts[0]?.workflow_name ?? null),
    rows: Math.max(1, ends.length),
    items: itemsIn(own),
    retries: own.length - itemsIn(own),
    failures: attempts.filter(({ status }) => status === "failed" || status === "retrying").length,
    runIds,
    bars,
  };
}

function itemsIn(attempts: readonly Attempt[]): number {
  return new Set(attempts.map(({ run_id, item }) => `${run_id}#${item}`)).size;
}

/** When the row is free again: an item keeps it until its last attempt has ended. */
function endOf(list: readonly Attempt[]): number {
  const { ended_at, retry_at } = list.at(-1) as Attempt;
  if (ended_at === null) return Number.POSITIVE_INFINITY;
  return Math.max(Date.parse(ended_at), retry_at === null ? 0 : Date.parse(retry_at));
}

interface Place {
  readonly row: number;
  /** Attempts of the item. */
  readonly of: number;
}

function barsOf(attempt: Attempt, next: Attempt | undefined, { row, of }: Place): Bar[] {
  const bars: Bar[] = [];
  const whole = kindOf(attempt, next);
  const add = (kind: BarKind, span: { from: string; to: string | null; tick: number }): void => {
    const toMs = span.to === null ? null : Date.parse(span.to);
    const fromMs = Date.parse(span.from);
    bars.push({ kind, row, fromMs, toMs, fromTick: span.tick, attempt, attempts: of, call: null });
  };
  let from = attempt.started_at;
  let tick = attempt.started_tick;
  for (const wait of withoutOverlap(attempt.waits)) {
    if (Date.parse(wait.from) > Date.parse(from)) {
      add(whole === "running" ? "done" : whole, { from, to: wait.from, tick });
    }
    add(waitKinds[wait.kind], { from: wait.from, to: wait.to ?? attempt.ended_at, tick: wait.from_tick });
    if (wait.to === null) return [...bars, ...retryBar(attempt, next, { row, of }), ...callBars(attempt, { row, of })];
    from = wait.to;
    tick = wait.to_tick ?? wait.from_tick;
  }
  add(whole, { from, to: attempt.ended_at, tick });
  return [...bars, ...retryBar(attempt, next, { row, of }), ...callBars(attempt, { row, of })];
}

const waitKinds: Readonly<Record<Wait["kind"], BarKind>> = {
  event: "waiting",
  sleep: "waiting",
  child: "child",
  retry: "retry",
};
const callKinds: Readonly<Record<Call["status"], BarKind>> = {
  running: "running",
  waiting: "retried",
  completed: "done",
  failed: "failed",
  interrupted: "cancelled",
};

/** Bars of calls that took time: calls without a duration are left out. */
function callBars(attempt: Attempt, { row, of: attempts }: Place): Bar[] {
  const long = attempt.calls.filter(({ started_at, ended_at }) => ended_at !== started_at);
  return long.map((call) => ({ ...callBar(attempt, call), row, attempts }));
}

export function callBar(attempt: Attempt, call: Call): Omit<Bar, "row" | "attempts"> {
  const { status, started_at, started_tick, ended_at } = call;
  const toMs = ended_at === null ? null : Date.parse(ended_at);
  return { kind: callKinds[status], fromMs: Date.parse(started_at), toMs, fromTick: started_tick, attempt, call };
}

/** Waits at the same time are drawn as one after the other: of two children the row shows the first, then the rest of the second. */
function withoutOverlap(waits: readonly Wait[]): readonly Wait[] {
  const shown: Wait[] = [];
  for (const wait of [...waits].sort((one, other) => Date.parse(one.from) - Date.parse(other.from))) {
    const before = shown.at(-1);
    if (before === undefined) shown.push(wait);
    else if (before.to === null) break;
    else if (Date.parse(wait.from) >= Date.parse(before.to)) shown.push(wait);
    else if (wait.to === null || Date.parse(wait.to) > Date.parse(before.to)) shown.push({ ...wait, from: before.to });
  }
  return shown;
}

function retryBar(attempt: Attempt, next: Attempt | undefined, { row, of: attempts }: Place): Bar[] {
  const { ended_at, ended_tick, retry_at } = attempt;
  if (ended_at === null || attempt.final || attempt.status === "completed") return [];
  const to = next?.started_at ?? retry_at;
  if (to === null || Date.parse(to) <= Date.parse(ended_at)) return [];
  const fromTick = ended_tick ?? 0;
  const [fromMs, toMs] = [Date.parse(ended_at), Date.parse(to)];
  return [{ kind: "retry", row, fromMs, toMs, fromTick, attempt, attempts, call: null }];
}

function kindOf({ status, final, ended_at }: Attempt, next: Attempt | undefined): BarKind {
  if (status === "completed") return "done";
  if (status === "cancelled" || status === "restarted") return "cancelled";
  if (status === "queued") return "queued";
  if (status === "retrying") return "retried";
  if (status === "failed") return final && next === undefined ? "failed" : "retried";
  return ended_at === null ? "running" : "done";
}
