/**
 * Child workflows: separate runs inside the snapshot, stream and life of the run whose step started them.
 *
 * @module
 */

import { compiledChild } from "../compile/child.js";
import { type ChildRecord, createRunState, type Outcome, shareStore, unshareStore } from "../engine/state.js";
import type { Tick } from "../engine/tick.js";
import { type ErrorRecord, recordError } from "../value/error-record.js";
import { outcomeError } from "./outcome.js";
import type { LiveRun } from "./run.types.js";
import { openChildren } from "./snapshot-run.js";
import { initialStore } from "./state-of-run.js";

interface ChildCall {
  readonly item: number;
  readonly record: ChildRecord;
  /** Of the parent that resumes: its time may be ahead of the clock. */
  readonly atMs?: number;
}

/** Starts a child, or continues with its state from a snapshot. */
export function startChild(parent: LiveRun, call: ChildCall): void {
  const { record } = call;
  const host = parent.host.hostFor(compiledChild(parent.host.compiled, record.name, "It"));
  // The tracer of a run also traces its children.
  host.inspector.telemetry ??= parent.host.inspector.telemetry;
  const { runId, sharesStore } = record;
  const restored = parent.descendants?.get(runId);
  const store = sharesStore ? null : initialStore(host.compiled);
  const state = restored ?? createRunState({ runId, workflow: host.compiled.name, store });
  if (sharesStore) shareStore(state, parent.state);
  const child = parent.openChild({
    host,
    state,
    parent: { item: call.item, call: record.call, name: record.name, sharesStore },
  });
  child.owner = {
    onFinish: (outcome) => closeChild(parent, call, outcome),
    // A child that cannot continue here has not ended: the whole run leaves memory, and the stored state counts.
    onDrop: (error) => parent.drop(error),
  };
  parent.children ??= new Map();
  parent.children.set(record.runId, child);
  const atMs = child.now();
  // A child that was in a snapshot before its first tick begins now.
  if (restored && restored.ticks > 0) continueChild(parent, child, call);
  else {
    child.begin({
      type: "run.started",
      atMs,
      event: record.start,
      timeoutMs: record.timeoutMs ?? host.compiled.options.timeoutMs,
      deadlineMs: null,
      lineage: { parent: parent.state.runId, forkedFrom: null },
      labels: null,
      ...(parent.journal !== null && !sharesStore && { store }),
    });
  }
}

/** Reports the end of a child whose parent has not got it yet. */
function continueChild(parent: LiveRun, child: LiveRun, call: ChildCall): void {
  const { outcome, status } = child.state;
  if (outcome === null || status === "cancelled") {
    return beginWithChildren(child, { type: "run.resumed", atMs: Math.max(child.now(), call.atMs ?? 0) });
  }
  child.live = false;
  closeChild(parent, call, outcome);
}

function closeChild(parent: LiveRun, call: ChildCall, outcome: Outcome): void {
  parent.children?.delete(call.record.runId);
  if (!parent.live) return; // it was cancelled with its parent, and continues with it
  const completed = outcome.status === "completed";
  const error: ErrorRecord | null = completed ? null : recordError(outcomeError(parent.state.runId, outcome));
  const { item, record } = call;
  const tick: Tick = {
    type: "child.closed",
    atMs: parent.now(),
    item,
    call: record.call,
    name: record.name,
    result: completed ? outcome.event : null,
    error,
  };
  // An ended child stays in every snapshot until its parent has its result; otherwise it would begin again.
  parent.submit(tick, () => parent.disown(record.runId));
}

export function cancelChild(parent: LiveRun, runId: string): void {
  const child = parent.children?.get(runId);
  parent.children?.delete(runId);
  parent.disown(runId);
  // The child has left snapshots and replays, so its unfinished work must not change them.
  if (child?.parent?.sharesStore === true) unshareStore(child.state);
  child?.submit({ type: "run.cancelled", atMs: child.now(), reason: "the step that started it has ended" });
}

/** Starts a run that has ticks already, and its open children, whether or not their step has requested them again. */
export function beginWithChildren(run: LiveRun, tick: Tick): void {
  run.begin(tick);
  for (const [item, record] of openChildren(run.state))
    if (!run.children?.has(record.runId)) startChild(run, { item, record, atMs: tick.atMs });
}
