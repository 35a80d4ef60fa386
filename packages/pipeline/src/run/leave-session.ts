/** Saves a run in its session. */

import { addRunToSession } from "../data/metrics.js";
import type { SessionReducers } from "../session/reducers.js";
import type { RunSessionEnd } from "../session/run-session.js";
import { type NewSession, withRun } from "../session/session-record.js";
import { metricsOf } from "./run-metrics.js";
import type { RunFacts } from "./run-output.js";

interface Facts extends Pick<RunFacts, "runId" | "state" | "status" | "nowMs"> {
  readonly reducers: SessionReducers;
}

export function leaving({ runId, state, status, nowMs, reducers }: Facts, session: NewSession): RunSessionEnd {
  const metrics = metricsOf({ state, status, nowMs });
  const { pipelineId } = session;
  return {
    session,
    base: state.sessionAtStart,
    state: state.session,
    counted: state.counted,
    reducers,
    change: (stored) => {
      const changed = withRun(stored, { runId, pipelineId, status, createdAtMs: state.startedAtMs });
      return { ...changed, metrics: addRunToSession(stored.metrics, metrics) };
    },
    nowMs,
  };
}
