/**
 * Reports what the steps of a run do: in this process from the inspection events of its workflows, at once; of a server
 * from its list of attempts.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import type { AttemptStatus } from "@millrace/client";
import type { InspectionEvents, InspectionName, Workflow } from "millrace";
import type { CompiledWorkflow } from "millrace/engine";
import type { Code } from "../code/load-code.js";
import { durationText } from "../output/format.js";
import type { Target } from "../target/target.types.js";
import { AttemptReader, isInnerEvent } from "./attempts.js";
import { type StepChange, type StepListener, waitText } from "./step-tree.js";

/** Resolves once everything known is reported. */
export type StopFeed = () => Promise<void>;

/** @param runId A run that may not be stored yet. @returns Stops it. */
export function feedSteps(target: Target, runId: string, listener: StepListener): StopFeed {
  return target.local === null ? feedOfServer(target, runId, listener) : feedOfCode(target.local.code, listener);
}

function feedOfCode(code: Code | null, listener: StepListener): StopFeed {
  if (code === null) return async () => {};
  const stops = instancesOf(code).flatMap((workflow) => listen(workflow, listener));
  return async () => {
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
  const on = <Name extends InspectionName>(
    name: Name,
    report: (payload: InspectionEvents[Name]) => void,
  ): (() => void) =>
    workflow.on(name, (payload) => {
      if (listener.has(payload.runId)) report(payload);
    });
  // Steps by which a pipeline moves on, and which nobody wrote.
  const inner = new Set<string>();
  const keyOf = ({ runId, item }: { readonly runId: string; readonly item: number }): string => `${runId}#${item}`;
  const change = (
    facts: Omit<AttemptEvent, "events" | "elapsedMs" | "error" | "final">,
    of: Partial<StepChange> & { status: AttemptStatus },
  ): void => {
    const { runId, step, item, attempt, atMs } = facts;
    if (inner.has(keyOf(facts))) return;
    listener.change({ runId, step, item, attempt, atMs, elapsedMs: null, note: null, ...of });
  };
  return [
    on("step.started", (facts) => {
      if (facts.events.some(isInnerEvent)) inner.add(keyOf(facts));
      change(facts, { status: "running" });
    }),
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

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? message : String(error);
}

const pollMs = 400;

function feedOfServer(target: Target, runId: string, listener: StepListener): StopFeed {
  const stopped = new AbortController();
  const reader = new AttemptReader(target, runId, listener);
  const polling = poll(reader, stopped.signal);
  polling.catch(() => {}); // reading the run reports the same problem, or it is thrown below
  return async () => {
    stopped.abort();
    await polling;
  };
}

/** Once more when it is stopped: the last steps may have ended since. */
async function poll(reader: AttemptReader, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await reader.read();
    await delay(pollMs, undefined, { signal }).catch(() => {}); // stopped
  }
  await reader.read();
}
