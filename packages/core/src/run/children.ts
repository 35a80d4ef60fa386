/**
 * Child workflows: runs of their own, inside the snapshot, stream and life of the run whose step started them.
 *
 * @module
 */
import { type ChildRecord, createRunState, type Outcome, shareStore, unshareStore } from "../engine/state.js";
import type { Tick } from "../engine/tick.js";
import { type ErrorRecord, recordError } from "../errors/error-record.js";
import { compiledChild } from "../workflow/child.js";
import { outcomeError } from "./outcome.js";
import type { LiveRun } from "./run.types.js";
import { initialStore } from "./state-of-run.js";

interface ChildCall {
  readonly item: number;
  readonly record: ChildRecord;
}

/** Starts a child, or goes on with the state that a snapshot has of it. */
export function startChild(parent: LiveRun, call: ChildCall): void {
  const { record } = call;
  const host = parent.host.hostFor(compiledChild(parent.host.compiled, record.name, "It"));
  // Who traces a run traces its children.
  host.inspector.telemetry ??= parent.host.inspector.telemetry;
  const { runId, sharesStore } = record;
  const restored = parent.family?.get(runId);
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
    // That it cannot go on here is no end of it: the whole run leaves memory, and what is stored is the truth.
    onDrop: (error) => parent.drop(error),
  };
  parent.adopt(state);
  parent.children ??= new Map();
  parent.children.set(record.runId, child);
  const atMs = child.now();
  // One that a snapshot caught before its first tick begins now.
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

/** A child that had ended before its parent heard of it says so now. */
function continueChild(parent: LiveRun, child: LiveRun, call: ChildCall): void {
  const { outcome, status } = child.state;
  if (outcome === null || status === "cancelled") {
    child.begin({ type: "run.resumed", atMs: child.now() });
    return resumeChildren(child);
  }
  child.live = false;
  closeChild(parent, call, outcome);
}

function closeChild(parent: LiveRun, call: ChildCall, outcome: Outcome): void {
  parent.children?.delete(call.record.runId);
  if (!parent.live) return; // it was cancelled with its parent, and goes on with it
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
  // Until the parent knows of its end, a child that has ended is in every snapshot: else it would begin anew.
  parent.submit(tick, () => parent.disown(record.runId));
}

export function cancelChild(parent: LiveRun, runId: string): void {
  const child = parent.children?.get(runId);
  parent.children?.delete(runId);
  parent.disown(runId);
  // Nobody has it any more, no snapshot and no replay: what of it is still under way must not change what they have.
  if (child?.parent?.sharesStore === true) unshareStore(child.state);
  child?.submit({ type: "run.cancelled", atMs: child.now(), reason: "the step that started it has ended" });
}

/** Every open child of a loaded run goes on by itself, whether or not its step has asked for it again. */
export function resumeChildren(parent: LiveRun): void {
  for (const item of parent.state.items.values()) {
    for (const record of item.memory?.values() ?? []) {
      if (record.kind === "child" && record.status === "open" && !parent.children?.has(record.runId))
        startChild(parent, { item: item.id, record });
    }
  }
}
