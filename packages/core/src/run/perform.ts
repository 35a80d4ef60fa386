/**
 * Performs commands, one function for each. Also creates runs and children, and opens streams.
 *
 * @module
 */

import { compiledChild } from "../compile/child.js";
import { terminalEvent } from "../engine/reduce/engine-events.js";
import { type ChildRecord, createRunState, type Outcome, shareStore, unshareStore } from "../engine/state.js";
import type { Command, Tick } from "../engine/tick.js";
import { endsRun, type WorkflowEvent } from "../event/event.js";
import { EventStream, type StreamedEvent } from "../stream/run-stream.js";
import { type ErrorRecord, recordError } from "../value/error-record.js";
import { Attempt } from "./attempt/attempt.js";
import { inspectCommand } from "./inspect-run.js";
import type { LiveRun, LiveRunCore, ParentLink } from "./live-run.js";
import { outcomeError } from "./outcome.js";
import { Runner, type RunnerSetup } from "./runner.js";
import { initialStore, openChildren } from "./snapshot-run.js";

/** Adding a command without a performer does not compile. */
type Performers = {
  readonly [Type in Command["type"]]: (run: LiveRun, command: Extract<Command, { readonly type: Type }>) => void;
};

const performers: Performers = {
  "attempt.start": (run, { item: id }) => {
    const item = run.state.items.get(id);
    if (item?.status !== "running") return;
    const attempt = new Attempt(run, item);
    run.attempts.set(id, attempt);
    attempt.start();
  },
  "attempt.end": (run, { item, reason }) => {
    run.attempts.get(item)?.end(reason, true);
    run.attempts.delete(item);
  },
  "call.settle": (run, { item, call }) => run.attempts.get(item)?.settle(call),
  "generator.pull": (run, { item }) => run.attempts.get(item)?.pull(),
  "child.start": (run, { item: id, call }) => {
    const record = run.state.items.get(id)?.calls?.get(call);
    if (record?.kind === "child") startChild(run, { item: id, record: record as ChildRecord });
  },
  "child.cancel": (run, { runId }) => cancelChild(run, runId),
  "stream.publish": (run, { type: _, ...item }) => publish(run, item as StreamedEvent),
  "receipt.send": (run, { ticket, receipt }) => {
    run.tickets?.get(ticket)?.(receipt);
    run.tickets?.delete(ticket);
  },
  note: (run, { note }) => {
    if (note.kind === "run.idle" && run.state.active === 0) run.onIdle();
  },
  "run.finish": (run, { outcome }) => run.finish(outcome),
};

function perform(run: LiveRun, command: Command): void {
  if (run.host.inspector.active) inspectCommand(run, command);
  (performers[command.type] as (run: LiveRun, command: Command) => void)(run, command);
}

function publish(run: LiveRun, item: StreamedEvent): void {
  const isLast = endsRun(item.event);
  // The last event is in the outcome as well: a run without other events needs no stream for it.
  if (!isLast || run.stream !== null) openStream(run).publish(item);
  run.published = item.sequence + 1;
  const { parent } = run;
  if (parent === null) return run.journal?.published?.(item);
  if (isLast) return;
  const { sequence: _, ...shown } = inParent(run, item);
  parent.run.submit({ type: "stream.written", atMs: parent.run.now(), item: null, attempt: 0, ...shown });
}

// ---- creation of runs: only this file imports both the loop and the performers of its commands

/** A run in memory, before its first tick here. */
export function createRunner(setup: Omit<RunnerSetup, "perform">): LiveRun {
  return new Runner({ ...setup, perform });
}

// ---- child workflows: separate runs inside the snapshot, stream and life of the run whose step started them

interface ChildCall {
  readonly item: number;
  readonly record: ChildRecord;
  /** Time of the parent that resumes; it may be ahead of the clock. */
  readonly atMs?: number;
}

/** Starts a child, or continues with its state from a snapshot. */
function startChild(parent: LiveRun, call: ChildCall): void {
  const { record } = call;
  const host = parent.host.hostFor(compiledChild(parent.host.compiled, record.name, "It"));
  // The tracer of a run also traces its children.
  host.inspector.telemetry ??= parent.host.inspector.telemetry;
  const { runId, sharesStore } = record;
  const restored = parent.descendants?.get(runId);
  const store = sharesStore ? null : initialStore(host.compiled);
  const state = restored ?? createRunState({ runId, workflow: host.compiled.name, store });
  if (sharesStore) shareStore(state, parent.state);
  const link = { item: call.item, name: record.name, sharesStore };
  const child = parent.openChild({ host, state, parent: link });
  child.owner = {
    onFinish: (outcome) => closeChild(parent, call, outcome),
    // A child that cannot continue here has not ended: the whole run leaves memory, and the stored state counts.
    onDrop: (error) => parent.drop(error),
  };
  parent.children ??= new Map();
  parent.children.set(record.runId, child);
  // A child that was in a snapshot before its first tick begins now.
  if (restored && restored.ticks > 0) return continueChild(parent, child, call);
  child.begin({
    type: "run.started",
    atMs: child.now(),
    event: record.start,
    timeoutMs: record.timeoutMs ?? host.compiled.options.timeoutMs,
    deadlineMs: null,
    lineage: { parent: parent.state.runId, forkedFrom: null },
    labels: null,
    ...(parent.journal !== null && !sharesStore && { store }),
  });
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

function cancelChild(parent: LiveRun, runId: string): void {
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

/** Returns an event of a run as its parent shows it: with the path of the child, and a writer that no other run has. */
export function inParent<Shown extends Pick<StreamedEvent, "origin" | "writer">>(
  { parent, state: { runId } }: Pick<LiveRunCore, "parent" | "state">,
  shown: Shown,
): Shown {
  const { name } = parent as ParentLink;
  const { origin, writer } = shown;
  // Number of the child among those that its parent opened: the end of its run id.
  const number = runId.slice(runId.lastIndexOf("/") + 1);
  const within = origin === null ? name : `${name}/${origin}`;
  return { ...shown, origin: within, ...(writer !== undefined && { writer: `${number}/${writer}` }) };
}

// ---- the stream of a run, opened with its first event or its first reader

export function openStream(run: LiveRun): EventStream {
  if (run.stream !== null) return run.stream;
  const { state, host } = run;
  const { compiled } = host;
  const { outcome, streamed } = state;
  const isOver = outcome !== null && !run.live;
  const stream = new EventStream({
    limit: compiled.options.streamBuffer,
    nextSequence: isOver ? streamed - 1 : run.published,
    types: compiled.types,
  });
  run.stream = stream;
  if (isOver)
    stream.publish({
      sequence: streamed - 1,
      event: terminalEvent(outcome) as WorkflowEvent,
      origin: null,
      promptId: null,
    });
  if (!run.live) stream.end();
  return stream;
}
