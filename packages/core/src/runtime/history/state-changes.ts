/**
 * What a tick changed in the state of its run, by path.
 *
 * @module
 */

import { type AppliedTick, applyPatches, type StateChange, type StatePatch, sameValue, type Tick } from "../../host.js";
import { isRecord } from "../../value/kind.js";
import type { ChangedValue } from "../api/history.types.js";

/** The changes in the order in which they were made. Several may concern one place. */
export function changesOf({ tick, before, member }: AppliedTick): readonly ChangedValue[] {
  if (Object.is(member.state.store, before)) return []; // it changed nothing, or came too late
  const change = changeOf(tick);
  return change !== undefined && "patches" in change
    ? byPatches(before, change.patches)
    : byFields(before, member.state.store);
}

/** The whole state as one change. */
export function newState(state: unknown): readonly ChangedValue[] {
  return byFields({}, state);
}

function changeOf(tick: Tick): StateChange | undefined {
  return "change" in tick ? tick.change : undefined;
}

function byPatches(before: unknown, patches: readonly StatePatch[]): ChangedValue[] {
  let state = before;
  return patches.map((patch) => {
    const parent = patch.path.slice(0, -1).reduce(valueAt, state);
    const last = patch.path.at(-1) as string | number;
    state = applyPatches(state, [patch]);
    const { op, path, value } = patch;
    if (op === "add") return { path, new: value };
    // In a Set, the value identifies the removed item.
    const old = parent instanceof Set ? value : valueAt(parent, last);
    return op === "remove" ? { path, old } : { path, old, new: value };
  });
}

function valueAt(container: unknown, step: string | number): unknown {
  if (container instanceof Map) return container.get(step);
  return (container as Readonly<Record<string | number, unknown>> | undefined)?.[step];
}

function byFields(before: unknown, after: unknown): ChangedValue[] {
  if (!isRecord(before) || !isRecord(after)) return [{ path: [], old: before, new: after }];
  const isIn = (state: object, name: string): boolean => Object.hasOwn(state, name);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !(isIn(before, name) && isIn(after, name) && sameValue(before[name], after[name])))
    .map((name) => ({
      path: [name],
      ...(isIn(before, name) && { old: before[name] }),
      ...(isIn(after, name) && { new: after[name] }),
    }));
}
