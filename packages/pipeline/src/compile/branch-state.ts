/**
 * Which session state a place of a run works on: that of the run, or in an isolated Parallel the copy that its branch has.
 *
 * The copies are in the frame of the Parallel: when it is given up, so are they. Joined, they are merged in the order of declaration
 * over what the state around it is by then.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import type { ParallelNode } from "../nodes/node.types.js";
import { copyJson, isObject, type JsonObject, toPlain } from "../session/json.js";
import { changesOf, mergeStates } from "../session/merge-states.js";
import { LiveSessionState } from "../session/session-state.js";
import type { LiveRun } from "./live-run.js";
import type { BranchStates, PipelineState, Place } from "./pipeline-state.types.js";
import { undrafted } from "./undrafted.js";

type Scoped = Pick<PipelineState, "session" | "frames">;

/** A session state: of the run, or of one branch. */
export interface StateScope {
  /** `""`: of the run. */
  readonly key: string;
  /** What is stored, also before the first change. Null: the branch was given up. */
  read(state: Scoped): Readonly<JsonObject> | null;
  /** To be changed in place, within an edit. Null: the branch was given up. */
  write(draft: Scoped): JsonObject | null;
}

/** That of the run. */
export const runScope: StateScope = { key: "", read: ({ session }) => session, write: ({ session }) => session };

export function scopeAt({ frames }: Pick<PipelineState, "frames">, place: Place): StateScope {
  let { frame, at } = place;
  for (let found = frames[frame]; found !== undefined; found = frames[frame]) {
    if (found.own !== undefined) return branchScope(frame, at);
    if (found.parent === null) break;
    at = found.at;
    frame = found.parent;
  }
  return runScope;
}

function branchScope(frame: string, at: number): StateScope {
  const statesIn = ({ frames }: Scoped): BranchStates | null => frames[frame]?.own ?? null;
  return {
    key: `${frame}:${at}`,
    read: (state) => {
      const states = statesIn(state);
      return states && (states.branches[at] ?? states.base);
    },
    write: (draft) => {
      const states = statesIn(draft);
      return states && (states.branches[at] ??= copyJson(undrafted(states.base)));
    },
  };
}

/** Gives the branches of the group that was opened as `key` a copy each: made when a branch changes it. */
export function isolate(state: Scoped, key: string): void {
  const frame = state.frames[key];
  if (frame === undefined || frame.parent === null) return; // it has no steps, and is done
  const around = scopeAt(state, { frame: frame.parent, at: frame.at }).read(state) ?? {};
  frame.own = { base: copyJson(undrafted(around)), branches: {}, count: frame.queue.length };
}

/** What the branches have made of the state, if a function of the user says so. Null: they are merged one after the other. */
export async function mergedByUser({ merge, name }: ParallelNode, states: BranchStates): Promise<JsonObject | null> {
  if (merge === null) return null;
  const merged: unknown = await merge(copyJson(states.base), branchesOf(states).map(copyJson));
  if (isObject(merged)) return copyJson(toPlain(merged, []) as JsonObject);
  throw new WorkflowError({
    code: "STEP_RESULT_INVALID",
    message: `\`merge\` of the parallel "${name}" gave ${merged === null ? "null" : typeof merged}, not a session state.`,
    hint: "Return the state that the steps after it are to have.",
  });
}

/** Within the edit that ends the group. */
export function joinBranches(state: Scoped, key: string, { live, byUser }: Join): void {
  const frame = state.frames[key];
  if (frame?.own === undefined || frame.parent === null) return;
  const scope = scopeAt(state, { frame: frame.parent, at: frame.at });
  const stored = scope.write(state);
  if (stored === null) return;
  const states = undrafted(frame.own);
  const around = copyJson(undrafted(stored));
  const ends = byUser === null ? branchesOf(states) : [byUser];
  const merged = ends.reduce((theirs, mine) => mergeStates(states.base, theirs, changesOf(states.base, mine)), around);
  const changes = live.sessionOf(scope, state).apply(changesOf(around, merged));
  LiveSessionState.applyTo(stored, changes);
  live.forgetBranches(key);
}

interface Join {
  readonly live: LiveRun;
  /** See {@link mergedByUser}. */
  readonly byUser: JsonObject | null;
}

/** In the order of declaration, whatever order they ended in. */
function branchesOf({ base, branches, count }: BranchStates): JsonObject[] {
  return Array.from({ length: count }, (_, at) => branches[at] ?? base);
}
