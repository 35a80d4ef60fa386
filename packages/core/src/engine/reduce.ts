/**
 * The run reducer: `(routing, state, tick) -> commands`, changing the run's own state.
 *
 * Pure: no clock, no randomness, no I/O, no user code. All of that is decided outside and arrives in the tick, so
 * reducing the same ticks again produces the same state. Total: a tick that makes no sense is noted as refused. Diagram
 * and tick table: docs/architecture/run-loop.md
 *
 * @module
 */

import { optionalModules } from "./optional-modules.js";
import {
  onCallAwaited,
  onCallClosed,
  onChildClosed,
  onChildOpened,
  onEffectFailed,
  onEffectOpened,
  onEffectRecorded,
  onEventCollected,
  onSendsCommitted,
  onSleepOpened,
  onStateEdited,
  onStreamWritten,
  onWaitOpened,
} from "./reduce/calls.js";
import { onStepCompleted, onStepFailed } from "./reduce/finish.js";
import { fireDue, onRunCancelled, onRunIdled, onRunResumed, onRunRetried, onRunStarted } from "./reduce/life.js";
import { onEventReceived } from "./reduce/receive.js";
import { isCurrent, type Reduction, refuse, stopClock } from "./reduce/reduction.js";
import type { Routing } from "./routing.js";
import type { Outcome, RunState } from "./state.js";
import type { Command, Tick } from "./tick.js";

export function reduce(routing: Routing, state: RunState, tick: Tick): Command[] {
  const reduction: Reduction = { routing, state, commands: null, emptied: null };
  state.ticks++;
  // No process may have had the run since its last tick, so that time does not count as active.
  if (isRestart(tick) || tick.type === "definition.changed") stopClock(reduction);
  if (tick.atMs > state.atMs) state.atMs = tick.atMs;
  // Time moves with every tick: due timers fire before the tick itself is applied. A restart fires them itself, after
  // everything is queued again.
  if (state.timers !== null && state.status === "running" && !isRestart(tick)) fireDue(reduction);
  if (state.status === "running" || appliesAfterwards(tick))
    (reducers[tick.type] as (reduction: Reduction, tick: Tick) => void)(reduction, tick);
  else refuse(reduction, tick, `the run is ${state.status}`);
  return reduction.commands ?? [];
}

function isRestart({ type }: Tick): boolean {
  return type === "run.resumed" || type === "run.retried";
}

function appliesAfterwards(tick: Tick): boolean {
  return isRestart(tick) || tick.type === "definition.changed" || (tick.type === "state.edited" && tick.item === null);
}

/** Adding a tick without a reducer does not compile. */
type Reducers = {
  readonly [Type in Tick["type"]]: (reduction: Reduction, tick: Extract<Tick, { readonly type: Type }>) => void;
};

const reducers: Reducers = {
  "step.completed": onStepCompleted,
  "step.failed": onStepFailed,
  "step.yielded": (work, tick) => optionalModules.fanOuts?.onStepYielded(work, tick),
  "event.received": onEventReceived,
  "time.passed": () => {},
  "sends.committed": onSendsCommitted,
  "wait.opened": onWaitOpened,
  "sleep.opened": onSleepOpened,
  "child.opened": onChildOpened,
  "child.closed": onChildClosed,
  "call.awaited": onCallAwaited,
  "call.closed": onCallClosed,
  "effect.opened": onEffectOpened,
  "effect.failed": onEffectFailed,
  "effect.recorded": onEffectRecorded,
  "event.collected": onEventCollected,
  "state.edited": onStateEdited,
  "stream.written": onStreamWritten,
  "run.started": onRunStarted,
  "run.resumed": onRunResumed,
  "run.retried": onRunRetried,
  "run.cancelled": onRunCancelled,
  "run.idled": onRunIdled,
  "definition.changed": () => {}, // the caller of `reduce` uses the new table from here on
};

/**
 * The outcome of the run after this tick, if it is known without {@link reduce}: a step returns the event that ends the run, and nothing
 * else. `null` if the run may continue, or end in another way.
 */
export function knownOutcome({ roles }: Pick<Routing, "roles">, state: RunState, tick: Tick): Outcome | null {
  if (tick.type !== "step.completed" || state.status !== "running") return null;
  const { output, sends, shown } = tick;
  if (output === null || Array.isArray(output) || sends !== null || shown !== undefined) return null;
  const event = output as Exclude<typeof output, readonly unknown[]>;
  const item = state.items.get(tick.item);
  const dueAtMs = state.timers?.first()?.dueAtMs ?? Number.POSITIVE_INFINITY;
  const isAlone = item !== undefined && isCurrent(item, tick.attempt) && dueAtMs > Math.max(tick.atMs, state.atMs);
  return isAlone && roles.get(event.type) === "stop" ? { status: "completed", event } : null;
}
