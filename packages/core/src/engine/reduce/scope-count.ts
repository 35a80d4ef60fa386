/**
 * Counts the open work of fan-outs: see `Scope` in state.ts.
 *
 * @module
 */
import type { Scope } from "../state.js";
import { decide, type Work } from "./work.js";

/** Number of unfinished elements at which a generator is no longer asked for more. */
export const FAN_OUT_BUFFER = 100;

/** Work for one element has ended. With the last of it the fan-out has to be closed: see `closeEmptied`. */
export function leave(work: Work, scope: Scope, index: number): void {
  if (scope.closed) return;
  if (scope.pending !== null) leaveElement(work, scope, index);
  leaveOpener(work, scope);
}

/** The opener counts as one piece of work of its fan-out. */
export function leaveOpener(work: Work, scope: Scope): void {
  if (scope.closed || --scope.open > 0) return;
  if (work.emptied === null) work.emptied = [scope];
  else work.emptied.push(scope);
}

function leaveElement(work: Work, scope: Scope, index: number): void {
  const { pending } = scope;
  if (pending === null) return;
  const left = (pending.get(index) ?? 1) - 1;
  if (left > 0) pending.set(index, left);
  else pending.delete(index);
  if (scope.paused && scope.generator !== null && pending.size < FAN_OUT_BUFFER) {
    scope.paused = false;
    decide(work, { type: "generator.pull", item: scope.generator });
  }
}
