import type { FamilyState, OwnState, PreparedRun, RunRequest } from "./pipeline-state.types.js";

/** A run that has come to no step yet. */
export function freshState(prepared: PreparedRun): FamilyState {
  return { ...prepared, ...freshPart(prepared.request), counted: {}, nested: {} };
}

/** The same, of a run inside another. */
export function freshPart(request: RunRequest): OwnState {
  return {
    request,
    startedAtMs: Date.now(),
    query: null,
    agentRun: null,
    failure: null,
    frames: {},
    talks: {},
    answered: [],
    spent: [],
    events: [],
    executorRuns: [],
    visits: 0,
    moved: {},
  };
}
