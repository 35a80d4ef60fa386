/** What the graph shows of a run at one tick. */

import type { Attempt, Moment, StepAt } from "../../api/contract.types.js";
import type { GraphOverlay, StepOverlay } from "../../graph/drawing.types.js";

export interface OverlayFacts {
  readonly runId: string;
  readonly moment: Moment;
  readonly attempts: readonly Attempt[];
  /** Events by type, up to the moment. */
  readonly emitted: Readonly<Record<string, number>>;
  readonly atMs: number;
}

export function overlayOf({ runId, moment, attempts, emitted, atMs }: OverlayFacts): GraphOverlay {
  const tried = triedOf(attempts, { runId, at: moment.number, atMs });
  const asking = new Set(moment.prompts.filter(({ run_id }) => run_id === runId).map(({ step }) => step));
  const isEnded = moment.status !== "running";
  const steps: Record<string, StepOverlay> = {};
  for (const step of moment.steps) {
    if (step.run_id !== runId) continue;
    steps[step.step] = stepOverlay(step, tried.get(step.step) ?? nothing, { isAsking: asking.has(step.step), isEnded });
  }
  return { steps, emitted, isEnded };
}

interface Tried {
  readonly retries: number;
  readonly elapsedMs: number;
  /** Items that wait for a child: it runs, so they do. */
  readonly withChild: number;
  readonly sleeping: number;
}

const nothing: Tried = { retries: 0, elapsedMs: 0, withChild: 0, sleeping: 0 };

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
  };
}

type Counts = Omit<StepOverlay, "status" | "retries" | "waitsFor" | "elapsedMs">;

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
  { runId, at, atMs }: { runId: string; at: number; atMs: number },
): ReadonlyMap<string, Tried> {
  const steps = new Map<string, Tried>();
  for (const { run_id, step, attempt, started_at, started_tick, ended_at, ended_tick, waits } of attempts) {
    if (run_id !== runId || started_tick > at) continue;
    const known = steps.get(step) ?? nothing;
    const isOpen = ended_tick === null || ended_tick > at;
    const endMs = isOpen || ended_at === null ? atMs : Date.parse(ended_at);
    const open = isOpen
      ? waits.find(({ from_tick, to_tick }) => from_tick <= at && (to_tick === null || to_tick > at))
      : undefined;
    steps.set(step, {
      retries: known.retries + (attempt > 1 ? 1 : 0),
      elapsedMs: known.elapsedMs + Math.max(0, endMs - Date.parse(started_at)),
      withChild: known.withChild + (open?.kind === "child" ? 1 : 0),
      sleeping: known.sleeping + (open?.kind === "sleep" ? 1 : 0),
    });
  }
  return steps;
}
