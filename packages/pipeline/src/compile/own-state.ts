/**
 * Where the state of a run is kept.
 *
 * A pipeline and the pipelines nested in it are runs of one family, with one core store. Each has its own part: the outermost one the
 * fields of the store itself, a nested one those under `nested`, by its run id. Session state and history are those of the outermost
 * one, for all: there is one session state, whatever the depth (or where branches are isolated, one for each of those: see
 * `branch-state.ts`).
 *
 * @module
 */
import { original } from "immer";
import type { FamilyState, OwnState, RunRequest } from "./pipeline-state.types.js";

/** The store, which may be a draft, as the runs of a family know it. */
export function familyIn(store: object): FamilyState {
  return store as FamilyState;
}

/** Changed in place within an edit. */
export function ownState(family: FamilyState, runId: string): OwnState {
  return family.nested?.[runId] ?? family;
}

/** Null: it has not begun. */
export function begunState(store: object, runId: string, { nesting }: Pick<RunRequest, "nesting">): OwnState | null {
  const { nested, visits } = store as Partial<FamilyState>;
  if (nesting !== null) return nested?.[runId] ?? null;
  return visits === undefined ? null : (store as FamilyState);
}

/** Runs inside this one, at any depth. */
export function nestedIn(family: FamilyState, runId: string): Record<string, OwnState> {
  if (ownState(family, runId) === family) return family.nested;
  return Object.fromEntries(Object.entries(family.nested).filter(([id]) => id.startsWith(`${runId}/`)));
}

/** Nobody asks any more for what nested runs were at that a step of this run has started, nor for runs inside those. */
export function forgetNested(family: FamilyState, step: { readonly runId: string; readonly visit: number }): void {
  // Read outside of the draft: a thousand branches each look at what the others have under way.
  const known = (original(family as object) as FamilyState | undefined)?.nested ?? family.nested;
  const ids = Object.keys(known);
  // The outermost run has another id where it goes on as a fork; those of nested runs stay.
  const nestedId = (runId: string): string | null => (runId in known ? runId : null);
  const parent = nestedId(step.runId);
  for (const id of ids) {
    const inside = known[id]?.request.nesting ?? null;
    if (inside === null || nestedId(inside.parentRunId) !== parent || inside.parentVisit !== step.visit) continue;
    for (const gone of ids) if (gone === id || gone.startsWith(`${id}/`)) delete family.nested[gone];
  }
}
