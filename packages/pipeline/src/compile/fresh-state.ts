import type { FamilyState, OwnState, PreparedRun } from "./pipeline-state.types.js";

/** A run that has come to no step yet. */
export function freshState(prepared: PreparedRun): FamilyState {
  return { ...prepared, ...freshPart(prepared), counted: {}, nested: {} };
}

/** The same, of a run inside another. */
export function freshPart({ request, startedAtMs }: Pick<OwnState, "request" | "startedAtMs">): OwnState {
  return {
    request,
    startedAtMs,
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
  };
}
