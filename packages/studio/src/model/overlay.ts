/** What the graph shows of a run at one tick. */

import type { Attempt, Call, Moment, StepAt } from "../api/contract.types.js";
import type { GraphOverlay, LabelledCall, StepOverlay } from "../graph/drawing.types.js";

export interface OverlayFacts {
  readonly runId: string;
  readonly moment: Moment;
  readonly attempts: readonly Attempt[];
  /** Events by type, up to the moment. */
  readonly emitted: Readonly<Record<string, number>>;
  readonly atMs: number;
}

export function overlayOf({ runId, moment, attempts, emitted, atMs }: OverlayFacts): GraphOverlay {
  const keyOf = keysOf(attempts, runId);
  const tried = triedOf(attempts, { keyOf, at: moment.number, atMs });
  const asking = new Set(
    moment.prompts.flatMap(({ run_id, step }) => (step === null ? [] : [keyOf({ run_id, step })])),
  );
  const isEnded = moment.status !== "running";
  const steps: Record<string, StepOverlay> = {};
  for (const [key, step] of summed(moment.steps, keyOf)) {
    steps[key] = stepOverlay(step, tried.get(key) ?? nothing, { isAsking: asking.has(key), isEnded });
  }
  return { steps, emitted, isEnded };
}

type KeyOf = (of: { readonly run_id: string; readonly step: string }) => string;

/** Of a child, the steps that run it come first: `book›ask`. Children of one step share their keys. */
function keysOf(attempts: readonly Attempt[], runId: string): KeyOf {
  const parents = new Map<string, Attempt>();
  for (const attempt of attempts)
    for (const { run_id } of attempt.waits) if (run_id !== undefined) parents.set(run_id, attempt);
  const keyOf: KeyOf = ({ run_id, step }) => {
    const parent = run_id === runId ? undefined : parents.get(run_id);
    if (parent !== undefined) return `${keyOf(parent)}›${step}`;
    return run_id === runId ? step : `${run_id}›${step}`;
  };
  return keyOf;
}

function summed(steps: readonly StepAt[], keyOf: KeyOf): ReadonlyMap<string, StepAt> {
  const sums = new Map<string, StepAt>();
  for (const step of steps) {
    const key = keyOf(step);
    const known = sums.get(key);
    sums.set(key, known === undefined ? step : sum(known, step));
  }
  return sums;
}

const counted = ["queued", "running", "waiting", "retrying", "done", "failed", "caught"] as const;

function sum(one: StepAt, other: StepAt): StepAt {
  return { ...one, ...Object.fromEntries(counted.map((name) => [name, one[name] + other[name]])) };
}

interface Tried {
  readonly retries: number;
  readonly elapsedMs: number;
  /** Items that wait for a child: it runs, so they do. */
  readonly withChild: number;
  readonly sleeping: number;
  /** Labelled calls, the latest one last. */
  readonly calls: ReadonlyMap<string, LabelledCall>;
}

const nothing: Tried = { retries: 0, elapsedMs: 0, withChild: 0, sleeping: 0, calls: new Map() };

function stepOverlay(step: StepAt, tried: Tried, facts: { isAsking: boolean; isEnded: boolean }): StepOverlay {
  const { queued, retrying, done, failed, caught } = step;
  const waiting = Math.max(0, step.waiting - tried.withChild);
  const running = step.running + step.waiting - waiting;
  const total = queued + running + waiting + retrying + done + failed + caught;
  const counts = { queued, running, waiting, retrying, done, failed, caught, total };
  return {
    ...counts,
    status: statusOf(counts, facts.isEnded),
    retries: tried.retries,
    waitsFor: waiting === 0 ? null : facts.isAsking ? "person" : tried.sleeping > 0 ? "time" : null,
    elapsedMs: tried.elapsedMs,
    calls: [...tried.calls.values()].reverse(),
  };
}

type Counts = Omit<StepOverlay, "status" | "retries" | "waitsFor" | "elapsedMs" | "calls">;

function statusOf(counts: Counts, isEnded: boolean): StepOverlay["status"] {
  if (counts.failed > 0) return "failed";
  if (!isEnded) {
    if (counts.running > 0) return "running";
    if (counts.retrying > 0) return "retrying";
    if (counts.waiting > 0) return "waiting";
    if (counts.queued > 0) return counts.done > 0 ? "running" : "queued";
  }
  if (counts.done > 0) return "done";
  return counts.caught > 0 ? "caught" : "idle";
}

function triedOf(
  attempts: readonly Attempt[],
  { keyOf, at, atMs }: { keyOf: KeyOf; at: number; atMs: number },
): ReadonlyMap<string, Tried> {
  const steps = new Map<string, Tried>();
  for (const one of attempts) {
    const { attempt, started_at, started_tick, ended_at, ended_tick, waits } = one;
    if (started_tick > at) continue;
    const key = keyOf(one);
    const known = steps.get(key) ?? nothing;
    const isOpen = ended_tick === null || ended_tick > at;
    const endMs = isOpen || ended_at === null ? atMs : Date.parse(ended_at);
    const open = isOpen
      ? waits.find(({ from_tick, to_tick }) => from_tick <= at && (to_tick === null || to_tick > at))
      : undefined;
    steps.set(key, {
      retries: known.retries + (attempt > 1 ? 1 : 0),
      elapsedMs: known.elapsedMs + Math.max(0, endMs - Date.parse(started_at)),
      withChild: known.withChild + (open?.kind === "child" ? 1 : 0),
      sleeping: known.sleeping + (open?.kind === "sleep" || open?.kind === "retry" ? 1 : 0),
      calls: labelled(known.calls, one.calls, at),
    });
  }
  return steps;
}

function labelled(known: Tried["calls"], calls: readonly Call[], at: number): Tried["calls"] {
  const named = new Map(known);
  for (const { label, status, started_tick, ended_tick } of calls) {
    if (label === undefined || started_tick > at) continue;
    named.delete(label); // the latest one is the last
    const isOpen = ended_tick === null || ended_tick > at;
    named.set(label, { label, status: isOpen ? "running" : statuses[status] });
  }
  return named;
}

const statuses: Readonly<Record<Call["status"], LabelledCall["status"]>> = {
  running: "running",
  waiting: "running",
  completed: "done",
  failed: "failed",
  interrupted: null,
};
