/**
 * Tells what the steps of a run do: in this process from the inspection events of its workflows, at once; of a server
 * from its list of attempts.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import type { InspectionEvents, InspectionName, Workflow } from "millrace";
import type { CompiledWorkflow } from "millrace/engine";
import type { Code } from "../code/load-code.js";
import { durationText } from "../output/format.js";
import type { Target } from "../target/target.types.js";
import type { ChildStart, ItemStatus, StepChange } from "./step-tree.js";

export interface StepListener {
  has(runId: string): boolean;
  add(child: ChildStart): void;
  change(change: StepChange): void;
}

/** @param runId A run that may not be stored yet. Gives the way to stop. */
export function feedSteps(target: Target, runId: string, listener: StepListener): () => void {
  return target.local === null ? feedOfServer(target, runId, listener) : feedOfCode(target.local.code, listener);
}

function feedOfCode(code: Code | null, listener: StepListener): () => void {
  if (code === null) return () => {};
  const stops = instancesOf(code).flatMap((workflow) => listen(workflow, listener));
  return () => {
    for (const stop of stops) stop();
  };
}

/** The workflows and their children at any depth, each once. */
function instancesOf({ kit, workflows }: Code): Workflow[] {
  const all = new Set<CompiledWorkflow>(
    Object.values(workflows).map((workflow) => kit.engine.compileWorkflow(workflow)),
  );
  for (const one of all) for (const child of one.children.keys()) all.add(kit.engine.compileChild(one, child));
  return [...new Set([...all].map(({ instance }) => instance as Workflow))];
}

type AttemptEvent =
  | InspectionEvents["step.started"]
  | InspectionEvents["step.failed"]
  | InspectionEvents["step.completed"];

function listen(workflow: Workflow, listener: StepListener): (() => void)[] {
  const on = <Name extends InspectionName>(name: Name, tell: (payload: InspectionEvents[Name]) => void): (() => void) =>
    workflow.on(name, (payload) => {
      if (listener.has(payload.runId)) tell(payload);
    });
  const change = (
    facts: Omit<AttemptEvent, "events" | "elapsedMs" | "error" | "final">,
    of: Partial<StepChange> & { status: ItemStatus },
  ): void => {
    const { runId, step, item, attempt, atMs } = facts;
    listener.change({ runId, step, item, attempt, atMs, elapsedMs: null, note: null, ...of });
  };
  return [
    on("step.started", (facts) => change(facts, { status: "running" })),
    on("step.completed", (facts) => change(facts, { status: "completed", elapsedMs: facts.elapsedMs })),
    on("step.failed", (facts) =>
      change(facts, { status: "failed", elapsedMs: facts.elapsedMs, note: messageOf(facts.error) }),
    ),
    on("step.retrying", (facts) =>
      change(facts, { status: "retrying", note: `again in ${durationText(facts.delayMs)}` }),
    ),
    on("step.waiting", (facts) => change(facts, { status: "waiting", note: waitText(facts.kind, facts.until) })),
    on("child.started", ({ runId, step, child, childRunId }) =>
      listener.add({ parentRunId: runId, step, runId: childRunId, workflow: child }),
    ),
  ];
}

function waitText(kind: "event" | "sleep" | "child", untilMs: number | null): string {
  if (kind === "sleep" && untilMs !== null) return `until ${new Date(untilMs).toLocaleTimeString()}`;
  return `for ${kind === "event" ? "an event" : "a child"}`;
}

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? message : String(error);
}

/** An attempt as `GET /handlers/{id}/attempts` gives it. */
export interface AttemptRecord {
  readonly run_id: string;
  readonly workflow_name: string;
  readonly step: string;
  readonly item: number;
  readonly attempt: number;
  readonly started_at: string;
  readonly started_tick: number;
  readonly ended_at: string | null;
  readonly status: ItemStatus;
  readonly error: { readonly code: string; readonly message: string } | null;
}

const pollMs = 400;

function feedOfServer(target: Target, runId: string, listener: StepListener): () => void {
  const stopped = new AbortController();
  void poll(target, { runId, signal: stopped.signal, listener });
  return () => stopped.abort();
}

interface Poll {
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly listener: StepListener;
}

async function poll(target: Target, { runId, signal, listener }: Poll): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const one of await attemptsOf(target, runId)) listener.change(changeOf(one));
    } catch (error) {
      // A server of an older version does not tell; a run that is only being started is not there yet.
      if ((error as { readonly code?: string }).code === "NOT_FOUND") return;
    }
    await delay(pollMs, undefined, { signal }).catch(() => {});
  }
}

/** All attempts of a run, in the order in which they began. */
export async function attemptsOf(target: Target, runId: string): Promise<AttemptRecord[]> {
  const all: AttemptRecord[] = [];
  for (let after = -1; ; ) {
    const query = after < 0 ? "?limit=1000" : `?limit=1000&after=${after}`;
    const path = `/handlers/${encodeURIComponent(runId)}/attempts${query}`;
    const { attempts, next } = await target.ask<{ attempts: AttemptRecord[]; next: number | null }>(path);
    all.push(...attempts);
    if (next === null) return all;
    after = next;
  }
}

export function changeOf({
  run_id,
  step,
  item,
  attempt,
  status,
  started_at,
  ended_at,
  error,
}: AttemptRecord): StepChange {
  const atMs = Date.parse(started_at);
  return {
    runId: run_id,
    step,
    item,
    attempt,
    status,
    atMs,
    elapsedMs: ended_at === null ? null : Date.parse(ended_at) - atMs,
    note: error?.message ?? null,
  };
}
