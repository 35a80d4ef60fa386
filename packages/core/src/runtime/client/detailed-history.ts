/**
 * The history of a run with the step of each tick and its changes, up to now or continuing.
 *
 * The ticks are reduced again one by one, and only as far as the reader has read.
 *
 * @module
 */

import { WorkflowError } from "../../errors/workflow-error.js";
import { type AppliedTick, applyPatches, type StatePatch, sameValue, type Tick } from "../../host.js";
import { isRecord } from "../../value/kind.js";
import { assertSignal } from "../../value/options.js";
import type { ChangedValue, DetailedEntry } from "../api/history.types.js";
import type { DetailedHistoryOptions } from "../api/runtime.types.js";
import {
  assertAfter,
  firstKept,
  originOf,
  sinceKept,
  type Timeline,
  ticksOf,
  ticksThrough,
} from "../history/history.js";
import { assertHere, idOf } from "../store/run-key.js";
import type { StoredRun } from "../store/run-store.types.js";
import { runUnknown } from "../store/store-kit.js";
import type { RunTable } from "../worker/claim/run-table.js";
import { type LoadFrom, loadTree } from "../worker/load/load.js";

export async function* detailedHistoryOf(
  runTable: RunTable,
  from: LoadFrom,
  { after, before = Number.POSITIVE_INFINITY, follow = false, signal }: DetailedHistoryOptions,
): AsyncGenerator<DetailedEntry, void> {
  assertAfter(after);
  assertSignal(signal);
  if (after === undefined)
    for await (const origin of originOf(from))
      if (origin.number < before)
        yield { ...origin, step: null, item: null, attempt: null, changes: byFields({}, origin.tick.state) };
  const trail = new Trail(from, after ?? 0);
  for (;;) {
    for await (const entry of trail.read()) {
      if (entry.number >= before) return;
      yield entry;
      signal?.throwIfAborted();
    }
    if (!follow || trail.number >= before - 1) return;
    const run = await runTable.watchers.until(
      idOf(from.run.key),
      async () => {
        const now = await runTable.sharedRow(from.run.key);
        if (now === null || now.createdAtMs !== from.run.createdAtMs) throw runUnknown(from.run.key);
        if (now.ticks > trail.number || now.outcome !== null) return now;
        assertHere(now);
        return undefined;
      },
      { signal },
    );
    if (run.ticks <= trail.number) return;
    trail.readUpTo(run);
  }
}

/** How far the ticks of a run were read. */
class Trail {
  /** Number of the last tick that was read. */
  number: number;
  #from: LoadFrom;
  /** `null` if not loaded yet. `false` if it cannot be loaded. */
  #timeline: Timeline | null | false = null;

  constructor(from: LoadFrom, after: number) {
    this.#from = from;
    this.number = after;
  }

  /** Continues with the ticks that the run has now. */
  readUpTo(run: StoredRun): void {
    this.#from = { ...this.#from, run };
  }

  async *read(): AsyncGenerator<DetailedEntry, void> {
    yield* sinceKept(this.#from, (first) => this.#since(first));
  }

  async *#since(first: number): AsyncGenerator<DetailedEntry, void> {
    // The next ticks are no longer kept: the run was trimmed meanwhile.
    if (this.number < first - 1) {
      this.number = first - 1;
      this.#timeline = null;
    }
    this.#timeline ??= await this.#load();
    if (this.#timeline === false) yield* this.#plain();
    else yield* this.#reduced(this.#timeline);
  }

  /** A run that cannot be rebuilt there can still be read tick by tick. */
  async #load(): Promise<Timeline | false> {
    try {
      return await loadTree(this.#from, this.number);
    } catch (error) {
      const isTrimmed = (await firstKept(this.#from)) > this.number + 1;
      if (WorkflowError.is(error) && !isTrimmed) return false;
      throw error;
    }
  }

  async *#reduced(timeline: Timeline): AsyncGenerator<DetailedEntry, void> {
    for await (const { number, applied } of ticksThrough(this.#from, timeline)) {
      if (number <= this.number) continue; // the reader begins behind the last tick that there was
      this.number = number;
      const { tick, member, item } = applied;
      const changes = changesOf(applied);
      yield { ...this.#entry(number, tick, member.state.runId), step: item?.step ?? null, changes };
    }
    this.number = Math.max(this.number, timeline.ticks);
  }

  async *#plain(): AsyncGenerator<DetailedEntry, void> {
    for await (const { number, entry, tick } of ticksOf(this.#from, this.number)) {
      this.number = number;
      const runId = entry.child?.runId ?? this.#from.run.key.runId;
      if (tick !== null) yield { ...this.#entry(number, tick, runId), step: null, changes: [] };
    }
  }

  #entry(number: number, tick: Tick, runId: string): Omit<DetailedEntry, "step" | "changes"> {
    const { item = null, attempt = null } = tick as { readonly item?: number | null; readonly attempt?: number };
    return { number, atMs: tick.atMs, runId, tick, item, attempt: item === null ? null : attempt };
  }
}

// ---- changes that a tick made in the state of its run, by path

/** The changes in the order in which they were made. Several may concern one place. */
function changesOf({ tick, before, member }: AppliedTick): readonly ChangedValue[] {
  if (Object.is(member.state.store, before)) return []; // it changed nothing, or came too late
  const change = "change" in tick ? tick.change : undefined;
  return change !== undefined && "patches" in change
    ? byPatches(before, change.patches)
    : byFields(before, member.state.store);
}

function byPatches(before: unknown, patches: readonly StatePatch[]): ChangedValue[] {
  let state = before;
  return patches.map((patch) => {
    const parent = patch.path.slice(0, -1).reduce(valueAt, state);
    const last = patch.path.at(-1) as string | number;
    state = applyPatches(state, [patch]);
    const { op, path, value } = patch;
    if (op === "add") return { path, new: value };
    // The value identifies the removed item of a Set.
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
