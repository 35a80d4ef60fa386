import { type Course, finish, ROOT } from "./advance.js";
import { freshState } from "./fresh-state.js";
import type { LiveRun } from "./live-run.js";
import { familyIn, forgetNested, isGivenUp, nestIn, ownState } from "./own-state.js";
import type { PendingNotes } from "./pending-notes.js";
import type { FamilyState, Move, OwnState, Place, PreparedState, Step } from "./pipeline-state.types.js";
import type { CompiledPlan, StepCtx } from "./plan.types.js";
import type { RunEvents } from "./run-events.js";

export interface Mover {
  readonly plan: CompiledPlan;
  readonly ctx: StepCtx;
  readonly events: RunEvents;
  readonly notes: PendingNotes;
  readonly live: LiveRun;
}

export interface Visited {
  readonly visit: number;
  /** Visits whose moves nobody needs any more. */
  readonly from: readonly number[];
  /** The first one. */
  readonly begins?: PreparedState;
}

export interface PipelineCourse extends Course {
  /** The part of this run. */
  readonly state: OwnState;
  /** All of the store, the session state among it. */
  readonly family: FamilyState;
  readonly runId: string;
}

/** Goes on from a visit: all that it changes is one edit, and where it went is part of it. */
export async function move(
  { plan, ctx, events, notes, live }: Mover,
  { visit, from, begins }: Visited,
  change: (course: PipelineCourse) => readonly Step[],
): Promise<readonly Move[]> {
  let moves: Move[] = [];
  await ctx.store.editState(
    (draft) => {
      const family = familyIn(draft);
      if (begins !== undefined) beginIn(family, ctx.runId, begins);
      const state = ownState(family, ctx.runId);
      // Told within the edit: stored with it, or not at all.
      const emit: Course["emit"] = (name, data, source = "step") => events.emit(source, name, data);
      const wanted = change({ tree: plan.tree, state, family, runId: ctx.runId, nowMs: Date.now(), emit });
      // Whatever it has done counts, but nothing waits for more of it.
      const steps = wanted.some(goesOn) && isGivenUp(family, ctx.runId) ? [finish] : wanted;
      live.keepLeft(family);
      notes.keepIn(state);
      moves = steps.map((step) => ({ ...step, visit: isGather(step) ? visit : ++state.visits, from: visit }));
      forgetNested(family, { runId: ctx.runId, visit });
      for (const done of from) if (done in state.moved) delete state.moved[done];
      if (!steps.every(isGather)) state.moved[visit] = moves;
      // Gives nothing: what an edit gives is stored with it, and the moves are in the state. See `knownMoves`.
    },
    { key: "move" },
  );
  return moves;
}

function beginIn(family: FamilyState, runId: string, prepared: PreparedState): void {
  if ("session" in prepared) Object.assign(family, freshState(prepared));
  else nestIn(family, runId, prepared.request);
}

function goesOn({ to }: Step): boolean {
  return to !== "gather" && to !== "unask" && to !== "finish";
}

function isGather({ to }: Step): boolean {
  return to === "gather";
}

/** The place of a visit that has none of its own. */
export const rootPlace: Place = { frame: ROOT, at: 0 };
