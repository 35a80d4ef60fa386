/**
 * The run reducer: `(routing, state, tick) -> commands`, changing the run's own state.
 *
 * Pure: no clock, no randomness, no I/O, no user code. All of that is decided outside and arrives in the tick, so
 * reducing the same ticks again gives the same state. Total: a tick that makes no sense is noted as refused. Diagram
 * and tick table: docs/architecture/run-loop.md
 *
 * @module
 */
import { assertNever } from "../errors/invariant.js";
import type { Command } from "./command.js";
import { features } from "./features.js";
import {
  onCallAwaited,
  onChildClosed,
  onChildOpened,
  onEffectRecorded,
  onEventCollected,
  onSendsCommitted,
  onSleepOpened,
  onStateEdited,
  onStreamWritten,
  onWaitOpened,
} from "./reduce/calls.js";
import { fireDue } from "./reduce/due.js";
import { onStepFailed } from "./reduce/failure.js";
import { onRunCancelled, onRunIdled, onRunResumed, onRunRetried, onRunStarted } from "./reduce/life.js";
import { onStepCompleted } from "./reduce/output.js";
import { onEventReceived } from "./reduce/receive.js";
import { refuse, type Work } from "./reduce/work.js";
import type { Routing } from "./routing.js";
import type { RunState } from "./state.js";
import type { Tick } from "./tick.js";

export function reduce(routing: Routing, state: RunState, tick: Tick): Command[] {
  const work: Work = { routing, state, commands: null, emptied: null };
  state.ticks++;
  if (tick.atMs > state.atMs) state.atMs = tick.atMs;
  // Time moves with every tick: due timers fire before the tick itself is applied. A restart fires them itself, after
  // everything is queued again.
  if (state.timers !== null && state.status === "running" && !isRestart(tick)) fireDue(work);
  if (state.status === "running" || appliesAfterwards(tick)) apply(work, tick);
  else refuse(work, tick, `the run is ${state.status}`);
  return work.commands ?? [];
}

function isRestart({ type }: Tick): boolean {
  return type === "run.resumed" || type === "run.retried";
}

function appliesAfterwards(tick: Tick): boolean {
  return isRestart(tick) || tick.type === "definition.changed" || (tick.type === "state.edited" && tick.item === null);
}

function apply(work: Work, tick: Tick): void {
  switch (tick.type) {
    case "step.completed":
      return onStepCompleted(work, tick);
    case "step.failed":
      return onStepFailed(work, tick);
    case "step.yielded":
      return features.fans?.onStepYielded(work, tick);
    case "event.received":
      return onEventReceived(work, tick);
    case "time.passed":
      return;
    case "sends.committed":
      return onSendsCommitted(work, tick);
    case "wait.opened":
      return onWaitOpened(work, tick);
    case "sleep.opened":
      return onSleepOpened(work, tick);
    case "child.opened":
      return onChildOpened(work, tick);
    case "child.closed":
      return onChildClosed(work, tick);
    case "call.awaited":
      return onCallAwaited(work, tick);
    case "effect.recorded":
      return onEffectRecorded(work, tick);
    case "event.collected":
      return onEventCollected(work, tick);
    case "state.edited":
      return onStateEdited(work, tick);
    case "stream.written":
      return onStreamWritten(work, tick);
    case "run.started":
      return onRunStarted(work, tick);
    case "run.resumed":
      return onRunResumed(work, tick);
    case "run.retried":
      return onRunRetried(work, tick);
    case "run.cancelled":
      return onRunCancelled(work, tick);
    case "run.idled":
      return onRunIdled(work);
    case "definition.changed":
      return; // the caller of `reduce` uses the new table from here on
    default:
      return assertNever(tick);
  }
}
