/**
 * Which session state a place of a run works on: that of the outermost run, or in an isolated Parallel the copy that its branch has.
 * A nested pipeline works on that of the place where it is a step.
 *
 * The copies are in the frame of the Parallel: when it is given up, so are they. Joined, they are merged in the order of declaration
 * over what the state around it is by then.
 *
 * @module
 */

import {
  copyJson,
  diff,
  isObject,
  type JsonObject,
  keepChanges,
  mergeStates,
  type SessionReducers,
  toPlain,
  valueAt,
  valueNow,
} from "@millrace/executor";
import { WorkflowError } from "millrace";
import { plainOf } from "millrace/engine";
import type { LiveRun } from "../attempts/live-run.js";
import type { ParallelNode } from "../nodes/node.types.js";
import { ownState, type StateScope } from "../state/own-state.js";
import type { BranchState, BranchStates, Place, RunRequest, RunTreeState } from "../state/pipeline-state.types.js";

/** One of the runs that have one store. */
export interface RunInTree {
  readonly root: RunTreeState;
  readonly runId: string;
}

const runScope: StateScope = { key: "", read: ({ session }) => session, write: (draft) => draft };

/** What the places of a run work on, but for its own isolated branches. */
export function scopeOfRun(root: RunTreeState, runId: string): StateScope {
  return scopeAround(root, ownState(root, runId).request);
}

/** The same, also of a run that has not begun. */
export function scopeAround(root: RunTreeState, { nesting }: Pick<RunRequest, "nesting">): StateScope {
  return nesting === null ? runScope : scopeAt({ root, runId: nesting.parentRunId }, nesting.parentPlace);
}

export function scopeAt({ root, runId }: RunInTree, place: Place): StateScope {
  const { frames } = ownState(root, runId);
  let { frame, at } = place;
  for (let found = frames[frame]; found !== undefined; found = frames[frame]) {
    if (found.branchStates !== undefined) return branchScope(runId, frame, at);
    if (found.parent === null) break;
    at = found.at;
    frame = found.parent;
  }
  return scopeOfRun(root, runId);
}

function branchScope(runId: string, frame: string, at: number): StateScope {
  const statesIn = (root: RunTreeState): BranchStates | null =>
    ownState(root, runId).frames[frame]?.branchStates ?? null;
  return {
    key: `${branchesKey(runId, frame)}${at}`,
    read: (root) => {
      const states = statesIn(root);
      return states && (states.branches[at]?.session ?? states.base);
    },
    write: (draft) => {
      const states = statesIn(draft);
      if (states === null) return null;
      const branch = (states.branches[at] ??= { session: copyJson(plainOf(states.base)), counted: {}, lists: {} });
      return { ...branch, sessionAtStart: states.base };
    },
  };
}

/** What the keys of all branches of a group begin with. */
function branchesKey(runId: string, frame: string): string {
  return `${runId} ${frame}:`;
}

/** Isolates the branches of the group that was opened as `key`. Each copies the state when it first changes it. */
export function isolate(run: RunInTree, key: string): void {
  const frame = ownState(run.root, run.runId).frames[key];
  if (frame === undefined || frame.parent === null) return; // it has no steps, and is done
  const around = scopeAt(run, { frame: frame.parent, at: frame.at }).read(run.root) ?? {};
  frame.branchStates = { base: copyJson(plainOf(around)), branches: {}, count: frame.queue.length };
}

/** The result of the user's `merge` function for the states of the branches; `null` to merge them one after the other. */
export async function mergedByUser({ merge, name }: ParallelNode, states: BranchStates): Promise<JsonObject | null> {
  if (merge === null) return null;
  const branches = branchesOf(states).map(({ session }) => copyJson(session));
  const merged: unknown = await merge(copyJson(states.base), branches);
  if (isObject(merged)) return copyJson(toPlain(merged, []) as JsonObject);
  throw new WorkflowError({
    code: "STEP_RESULT_INVALID",
    message: `\`merge\` of the parallel "${name}" returned ${merged === null ? "null" : typeof merged}, not a session state.`,
    hint: "Return the state that the steps after it are to have.",
  });
}

/** Within the edit that ends the group. */
export function joinBranches(run: RunInTree, key: string, { live, byUser, reducers }: Join): void {
  const { root, runId } = run;
  const frame = ownState(root, runId).frames[key];
  if (frame?.branchStates === undefined || frame.parent === null) return;
  const scope = scopeAt(run, { frame: frame.parent, at: frame.at });
  const stored = scope.write(root);
  if (stored === null) return;
  const { base, ...states } = plainOf(frame.branchStates);
  const before = copyJson(plainOf(stored.session));
  const branches = byUser === null ? branchesOf({ base, ...states }) : [{ session: byUser, counted: {} }];
  const merged = branches.reduce(
    (theirs, { session: mine, counted, lists }) => mergeStates({ base, theirs, mine, counted, lists, reducers }),
    before,
  );
  const changes = live.sessionOf(scope, root).apply(diff(before, merged, { lists: "whole" }));
  keepChanges(stored, changes, { before, paths: countedIn(base, branches) });
  live.forgetBranches(branchesKey(runId, key));
}

interface Join {
  readonly live: LiveRun;
  /** See {@link mergedByUser}. */
  readonly byUser: JsonObject | null;
  readonly reducers: SessionReducers;
}

/** Numbers that no branch has changed in another way than to count them. */
function countedIn(base: Readonly<JsonObject>, branches: readonly BranchState[]): ReadonlySet<string> {
  const paths = new Set(branches.flatMap(({ counted }) => Object.keys(counted)));
  const isCounted = (path: string): boolean =>
    branches.every(
      ({ session, counted, lists }) =>
        counted[path] || Object.is(valueNow({ session, sessionAtStart: base, lists }, path), valueAt(base, path)),
    );
  return new Set([...paths].filter(isCounted));
}

/** In the order of declaration, not of their ends. */
function branchesOf({ base, branches, count }: BranchStates): BranchState[] {
  return Array.from({ length: count }, (_, at) => branches[at] ?? { session: base, counted: {} });
}
