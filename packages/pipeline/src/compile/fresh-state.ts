import type { PipelineState, PreparedState } from "./pipeline-state.types.js";

/** A run that has come to no step yet. */
export function freshState(prepared: PreparedState): PipelineState {
  return {
    ...prepared,
    counted: {},
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
