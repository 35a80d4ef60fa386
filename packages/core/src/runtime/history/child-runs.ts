/** The children of a run, computed from its ticks. */

import type { AppliedTick, Member, RunStatus, RunTree } from "../../host.js";
import type { ChildRun } from "../api/history.types.js";
import type { LoadFrom } from "../worker/load/load.js";
import { readKept, Timeline } from "./timeline.js";

/** Children at any depth, in the order in which they were started, since the oldest tick that is kept. */
export function childrenOf(from: LoadFrom): Promise<ChildRun[]> {
  return readKept(from, async (first) => {
    const timeline = await Timeline.after(from, first - 1);
    const children = new Map<string, ChildRun>();
    for await (const { applied } of timeline.ticks(from)) follow(children, timeline.tree, applied);
    return ended(timeline.tree.root, [...children.values()]);
  });
}

/** A child that was running when its parent ended has ended with it, without its own tick. Parents come first. */
function ended({ state: root }: Member, children: readonly ChildRun[]): ChildRun[] {
  const statuses = new Map<string, RunStatus>();
  return children.map((child) => {
    const isLeft = (statuses.get(child.parentId) ?? root.status) !== "running";
    const status = isLeft && child.status === "running" ? "cancelled" : child.status;
    statuses.set(child.runId, status);
    return { ...child, status };
  });
}

function follow(
  children: Map<string, ChildRun>,
  tree: RunTree,
  { tick, member, isRefused, commands }: AppliedTick,
): void {
  const { state } = member;
  const set = (runId: string, status: RunStatus): void => {
    const known = children.get(runId);
    if (known !== undefined) children.set(runId, { ...known, status });
  };
  if ((tick.type === "run.resumed" || tick.type === "run.retried") && !isRefused) set(state.runId, "running");
  for (const command of commands) {
    if (command.type === "run.finish") set(state.runId, command.outcome.status);
    else if (command.type === "child.cancel") set(command.runId, "cancelled");
    else if (command.type === "child.start") {
      const item = state.items.get(command.item);
      const record = item?.calls?.get(command.call);
      if (item === undefined || record?.kind !== "child" || children.has(record.runId)) continue;
      children.set(record.runId, {
        runId: record.runId,
        parentId: state.runId,
        workflow: tree.members.get(record.runId)?.compiled.name ?? record.name,
        step: item.step,
        item: item.id,
        status: "running",
        startedAtMs: state.atMs,
      });
    }
  }
}
