import { invalidOption, type WorkflowError } from "../../errors/workflow-error.js";
import { type AppliedTick, eventsOf, type Member, pendingDeliveries, type RunTree, type WorkItem } from "../../host.js";
import type { ItemInput, MomentOptions, RunMoment, StepMoment } from "../api/history.types.js";
import type { LoadFrom } from "../worker/load/load.js";
import { assertTick, readKept, Timeline, trimmed } from "./history.js";

interface Wanted {
  readonly tick: number;
  readonly runId: string;
  readonly item: number | undefined;
}

/**
 * @param options `childId`: the run itself when omitted.
 * @throws {WorkflowError} `OPTION_INVALID` for a tick or child that never existed, `HISTORY_TRIMMED` for a tick that is no longer
 * kept.
 */
export function momentOf(
  from: LoadFrom,
  tick: number,
  { childId, item }: Pick<MomentOptions, "childId" | "item"> = {},
): Promise<RunMoment> {
  assertTick(from, tick);
  const wanted = { tick, runId: childId ?? from.run.key.runId, item };
  return readKept(from, (first) => momentSince(from, first, wanted));
}

async function momentSince(from: LoadFrom, first: number, { tick, runId, item }: Wanted): Promise<RunMoment> {
  const start = Math.min(first - 1, tick);
  if (tick < first - 1) throw trimmed(from, tick, { why: "it is older than the oldest snapshot that is kept." });
  const timeline = await Timeline.after(from, start);
  const { tree } = timeline;
  const ended: Ended = new Map([[tree.root.state.runId, new Map()]]);
  // An ended child has left the tree: its last state is kept here.
  const find = (): Member | undefined => tree.members.get(runId);
  let shown = find();
  for await (const { applied } of timeline.ticks(from, tick)) {
    count(ended, applied);
    shown = find() ?? shown;
  }
  if (shown === undefined) throw childUnknown(from, tick, runId);
  const { state } = shown;
  const isLeft = find() === undefined || tree.root.state.status !== "running";
  const isCutOff = state.status === "running" && isLeft;
  const isInside = (of: { readonly runId: string }): boolean => of.runId === runId || of.runId.startsWith(`${runId}/`);
  return {
    number: tick,
    atMs: tree.root.state.atMs,
    status: isCutOff ? "cancelled" : state.status,
    isWaiting: state.status === "running" && state.active === 0 && !isCutOff,
    state: state.store,
    steps: stepsOf(tree, ended, shown).filter(isInside),
    prompts: tree.prompts().filter(isInside),
    next: shown === tree.root ? pendingDeliveries(state) : [],
    input: inputOf(item === undefined ? undefined : state.items.get(item)),
  };
}

function inputOf(item: WorkItem | undefined): ItemInput | null {
  if (item === undefined) return null;
  const { step, input } = item;
  return {
    step,
    events: eventsOf(input),
    slots: input.kind === "set" ? Object.keys(input.slots) : null,
  };
}

function childUnknown({ run }: LoadFrom, tick: number, childId: string): WorkflowError {
  return invalidOption(
    `Run "${run.key.runId}" had no child ${JSON.stringify(childId)} at tick ${tick}.`,
    "Use an id from `runtime.children(runId)`, and a tick after the child was started.",
    { runId: run.key.runId, childId, tick },
  );
}

/** Completed and caught items by run and step. */
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

/** @param shown A member that may have ended: all of its steps are listed. */
function stepsOf(tree: RunTree, ended: Ended, shown: Member): StepMoment[] {
  const runIds = new Set([...ended.keys(), ...tree.members.keys(), shown.state.runId]);
  return [...runIds].flatMap((runId) => {
    // Other runs that have ended have left the tree.
    const member = tree.members.get(runId) ?? (runId === shown.state.runId ? shown : undefined);
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
