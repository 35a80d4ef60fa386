/**
 * A state that is moved along the ticks by their changes, forward and back.
 *
 * It bridges the moments between a move of the cursor and the answer of the server, which has the last word.
 *
 * @module
 */

import type { ChangedValue, HistoryEntry } from "@millrace/client";
import { lastUpTo } from "./numbers.js";
import type { Path } from "./path.types.js";

/** @param from Number of the tick after which the run had `state`. */
export function stateAfter(
  entries: readonly HistoryEntry[],
  { from, state, to, runId }: { from: number; state: unknown; to: number; runId: string },
): unknown {
  const index = (number: number): number => lastUpTo(entries, number, (entry) => entry.number);
  let moved = state;
  const changesOf = (at: number): readonly ChangedValue[] => {
    const entry = entries[at] as HistoryEntry;
    return entry.runId === runId ? (entry.changes ?? []) : [];
  };
  for (let at = index(from) + 1; at <= index(to); at++) {
    for (const { path, ...change } of changesOf(at)) moved = put(moved, path, change);
  }
  for (let at = index(from); at > index(to); at--) {
    for (const change of changesOf(at).toReversed()) moved = put(moved, change.path, undone(change));
  }
  return moved;
}

/** `old` is absent of what is added, `new` of what is deleted: places of a list move. */
type Replaced = Omit<ChangedValue, "path">;

function undone(change: ChangedValue): Replaced {
  return { ...("new" in change && { old: change.new }), ...("old" in change && { new: change.old }) };
}

/** A copy of `target` with the change at `path`. */
function put(target: unknown, path: Path, change: Replaced): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change.new;
  if (Array.isArray(target)) return putInList(target, path, change);
  const fields = { ...(target as Record<string, unknown> | null) };
  if (rest.length > 0) fields[String(key)] = put(fields[String(key)], rest, change);
  else if ("new" in change) fields[String(key)] = change.new;
  else delete fields[String(key)];
  return fields;
}

function putInList(target: readonly unknown[], [key, ...rest]: Path, change: Replaced): unknown[] {
  const place = Number(key);
  if (rest.length > 0) return target.with(place, put(target[place], rest, change));
  if (key === "length") return target.slice(0, Number(change.new));
  if (!("new" in change)) return target.toSpliced(place, 1);
  return "old" in change ? target.with(place, change.new) : target.toSpliced(place, 0, change.new);
}
