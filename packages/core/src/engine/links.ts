/**
 * What follows from the rest of a run: which waits an event finds, and how much is open in a fan-out.
 *
 * The reducer keeps it up to date. A snapshot leaves it out, and its reader makes it again.
 *
 * @module
 */
import type { FanOutState, RunState, WaitRecord } from "./state.js";

/** Lists a wait, so that events and answers find it. */
export function listWait(state: RunState, wait: WaitRecord): void {
  state.waits ??= new Map();
  for (const type of wait.accepts) {
    const waits = state.waits.get(type);
    if (waits) waits.push(wait);
    else state.waits.set(type, [wait]);
  }
  if (wait.promptId === null || wait.prompt === null) return;
  state.prompts ??= new Map();
  const { promptId, prompt, openedAtMs, item } = wait;
  const step = state.items.get(item)?.step ?? null;
  state.prompts.set(promptId, { promptId, event: prompt, wait, step, askedAtMs: openedAtMs });
}

/** Work for one element of the fan-out begins. */
export function enter(scope: FanOutState, index: number): void {
  scope.open++;
  if (scope.pending !== null) scope.pending.set(index, (scope.pending.get(index) ?? 0) + 1);
}
