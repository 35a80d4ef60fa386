/** What the graph shows of a run at one tick. */

import type { RunAttempt, RunCall, RunMoment, StepMoment } from "@millrace/client";
import type { GraphOverlay, LabelledCall, StepOverlay } from "../graph/drawing.types.js";

export interface OverlayFacts {
  readonly runId: string;
  readonly moment: RunMoment;
  readonly attempts: readonly RunAttempt[];
  /** Events by type, up to the moment. */
  readonly emitted: Readonly<Record<string, number>>;
  readonly atMs: number;
}

export function overlayOf({ runId, moment, attempts, emitted, atMs }: OverlayFacts): GraphOverlay {
  const keyOf = keysOf(attempts, runId);
  const tried = triedOf(attempts, { keyOf, at: moment.number, atMs });
  const asking = new Set(moment.prompts.flatMap(({ runId, step }) => (step === null ? [] : [keyOf({ runId, step })])));
  const isEnded = moment.status !== "running";
  const steps: Record<string, StepOverlay> = {};
  for (const [key, step] of summed(moment.steps, keyOf)) {
    steps[key] = stepOverlay(step, tried.get(key) ?? nothing, { isAsking: asking.has(key), isEnded });
  }
  return { steps, emitted, isEnded };
}

type KeyOf = (of: { readonly runId: string; readonly step: string }) => string;

/** Of a child, the steps that run it come first: `book›ask`. Children of one step share their keys. */
function keysOf(attempts: readonly RunAttempt[], runId: string): KeyOf {
  const parents = new Map<string, RunAttempt>();
  for (const attempt of attempts)
    for (const { runId } of attempt.waits) if (runId !== undefined) parents.set(runId, attempt);
  const keyOf: KeyOf = ({ runId: of, step }) => {
    const parent = of === runId ? undefined : parents.get(of);
    if (parent !== undefined) return `${keyOf(parent)}›${step}`;
    return of === runId ? step : `${of}›${step}`;
  };
  return keyOf;
}

function summed(steps: readonly StepMoment[], keyOf: KeyOf): ReadonlyMap<string, StepMoment> {
  const sums = new Map<string, StepMoment>();
  for (const step of steps) {
    const key = keyOf(step);
    const known = sums.get(key);
    sums.set(key, known === undefined ? step : sum(known, step));
  }
  return sums;
}

const counted = ["queued", "running", "waiting", "retrying", "done", "failed", "caught"] as const;

function sum(one: StepMoment, other: StepMoment): StepMoment {
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

function stepOverlay(step: StepMoment, tried: Tried, facts: { isAsking: boolean; isEnded: boolean }): StepOverlay {
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
  attempts: readonly RunAttempt[],
  { keyOf, at, atMs }: { keyOf: KeyOf; at: number; atMs: number },
): ReadonlyMap<string, Tried> {
  const steps = new Map<string, Tried>();
  for (const one of attempts) {
    const { attempt, startedAtMs, startedTick, endedAtMs, endedTick, waits } = one;
    if (startedTick > at) continue;
    const key = keyOf(one);
    const known = steps.get(key) ?? nothing;
    const isOpen = endedTick === null || endedTick > at;
    const endMs = isOpen || endedAtMs === null ? atMs : endedAtMs;
    const open = isOpen
      ? waits.find(({ fromTick, toTick }) => fromTick <= at && (toTick === null || toTick > at))
      : undefined;
    steps.set(key, {
      retries: known.retries + (attempt > 1 ? 1 : 0),
      elapsedMs: known.elapsedMs + Math.max(0, endMs - startedAtMs),
      withChild: known.withChild + (open?.kind === "child" ? 1 : 0),
      sleeping: known.sleeping + (open?.kind === "sleep" || open?.kind === "retry" ? 1 : 0),
      calls: labelled(known.calls, one.calls, at),
    });
  }
  return steps;
}

function labelled(known: Tried["calls"], calls: readonly RunCall[], at: number): Tried["calls"] {
  const named = new Map(known);
  for (const { label, status, startedTick, endedTick } of calls) {
    if (label === undefined || startedTick > at) continue;
    named.delete(label); // the latest one is the last
    const isOpen = endedTick === null || endedTick > at;
    named.set(label, { label, status: isOpen ? "running" : statuses[status] });
  }
  return named;
}

const statuses: Readonly<Record<RunCall["status"], LabelledCall["status"]>> = {
  running: "running",
  waiting: "running",
  completed: "done",
  failed: "failed",
  interrupted: null,
};
