/**
 * A run as it was after a tick, for somebody who looks at it: its state, what each step was doing, what it asked.
 *
 * @module
 */
import type { RunState, RunStatus, WorkItem } from "../engine/state.js";
import type { WorkflowEvent } from "../event/event.js";
import type { PendingPrompt } from "../run/handler.types.js";
import { assertTick, trimmed } from "./history.js";
import { keptTicks, type LoadFrom, loadTree, steps } from "./load.js";
import type { AppliedTick, RunTree } from "./run-tree.js";

/** A run after one of its ticks. */
export interface RunMoment {
  readonly number: number;
  /** Epoch milliseconds. */
  readonly atMs: number;
  readonly status: RunStatus;
  /** It has not ended, and only time or something from outside brings it further. */
  readonly isWaiting: boolean;
  readonly state: unknown;
  /** Every step of the run itself, in the order of its workflow, then those of its children. */
  readonly steps: readonly StepMoment[];
  /** What it and its children asked. */
  readonly prompts: readonly PendingPrompt[];
  /** What a fork from here delivers first: its `event` replaces fields of one of them. */
  readonly next: readonly PendingDelivery[];
}

/** How many work items of a step were where. */
export interface StepMoment {
  /** This run, or a child. */
  readonly runId: string;
  readonly step: string;
  /** Waiting for a free worker; of a run that has ended: what begins again when it is resumed or retried. */
  readonly queued: number;
  readonly running: number;
  readonly waiting: number;
  /** Failed, and waiting for the time of the next attempt. */
  readonly retrying: number;
  /** Since the oldest tick that is kept. */
  readonly done: number;
  readonly failed: number;
  /** Failed for good, and an error handler or a settling batch took it. Since the oldest tick that is kept. */
  readonly caught: number;
}

/** A work item that has begun with nothing yet. */
export interface PendingDelivery {
  readonly item: number;
  readonly step: string;
  readonly event: WorkflowEvent;
}

/** @throws {WorkflowError} `OPTION_INVALID` for a tick that never was, `HISTORY_TRIMMED` for one that is no longer kept. */
export async function momentOf(from: LoadFrom, tick: number): Promise<RunMoment> {
  assertTick(from, tick);
  const { first } = await keptTicks(from);
  const start = Math.min(first - 1, tick);
  if (tick < first - 1) throw trimmed(from, tick, { why: "it is older than the oldest snapshot that is kept." });
  const { tree } = await loadTree(from, start);
  const ended: Ended = new Map([[tree.root.state.runId, new Map()]]);
  for await (const step of steps(from, { tree, ticks: start }, tick)) {
    if (step.kind !== "tick") continue;
    tree.forgetOutcomes();
    if (step.applied !== null) count(ended, step.applied);
  }
  const { state } = tree.root;
  return {
    number: tick,
    atMs: state.atMs,
    status: state.status,
    isWaiting: state.status === "running" && state.active === 0,
    state: state.store,
    steps: stepsOf(tree, ended),
    prompts: tree.prompts(),
    next: pendingDeliveries(state),
  };
}

/** By run and step. */
type Ended = Map<string, Map<string, { done: number; caught: number }>>;

function count(ended: Ended, { tick, member: { state }, item, isOfAttempt }: AppliedTick): void {
  if (item === null || !isOfAttempt) return;
  const isDone = tick.type === "step.completed";
  const isCaught = tick.type === "step.failed" && tick.retryAtMs === null && !state.items.has(item.id);
  if (!isDone && !isCaught) return;
  const ofRun = ended.get(state.runId) ?? new Map<string, { done: number; caught: number }>();
  ended.set(state.runId, ofRun);
  const counts = ofRun.get(item.step) ?? { done: 0, caught: 0 };
  ofRun.set(item.step, counts);
  if (isDone) counts.done++;
  else counts.caught++;
}

const places: Readonly<Record<WorkItem["status"], "queued" | "running" | "waiting" | "retrying" | "failed">> = {
  ready: "queued",
  resuming: "queued",
  running: "running",
  suspended: "waiting",
  delayed: "retrying",
  failed: "failed",
};

function stepsOf(tree: RunTree, ended: Ended): StepMoment[] {
  const runIds = new Set([...ended.keys(), ...tree.members.keys()]);
  return [...runIds].flatMap((runId) => {
    const member = tree.members.get(runId); // gone, where a child has ended
    const items = [...(member?.state.items.values() ?? [])];
    const ofRun = ended.get(runId);
    const names = new Set([
      ...(member?.routing.definition.steps.map(({ name }) => name) ?? []),
      ...(ofRun?.keys() ?? []),
      ...items.map(({ step }) => step),
    ]);
    const all = new Map(
      [...names].map((step) => {
        const { done, caught } = ofRun?.get(step) ?? { done: 0, caught: 0 };
        return [step, { runId, step, queued: 0, running: 0, waiting: 0, retrying: 0, done, failed: 0, caught }];
      }),
    );
    for (const { step, status } of items) {
      const counts = all.get(step);
      if (counts !== undefined) counts[places[status]]++;
    }
    return [...all.values()];
  });
}

/** Only of a run that has not ended: nothing else can be forked. */
export function pendingDeliveries(state: RunState): PendingDelivery[] {
  if (state.status !== "running") return [];
  return [...state.items.values()].flatMap(({ id, step, input, memory }) =>
    input.kind === "event" && (memory === null || memory.size === 0)
      ? [{ item: id, step, event: input.event as WorkflowEvent }]
      : [],
  );
}
