/** What a run leaves in its session. */

import { addRunToSession } from "../data/metrics.js";
import type { RunSessionEnd } from "../session/run-session.js";
import { type NewSession, withRun } from "../session/session-record.js";
import { metricsOf, type RunFacts } from "./run-output.js";

type Facts = Pick<RunFacts, "runId" | "state" | "status" | "nowMs">;

export function leaving({ runId, state, status, nowMs }: Facts, session: Omit<NewSession, "state">): RunSessionEnd {
  const metrics = metricsOf(state, nowMs);
  return {
    session,
    base: state.sessionAtStart,
    state: state.session,
    counted: state.counted,
    change: (stored) => {
      // Its time and tokens count once, however often it is said how it has ended.
      const isKnown = stored.runs.some((known) => known.runId === runId);
      const changed = withRun(stored, {
        runId,
        pipelineId: session.pipelineId,
        status,
        createdAtMs: state.startedAtMs,
      });
      return isKnown ? changed : { ...changed, metrics: addRunToSession(stored.metrics, metrics) };
    },
    nowMs,
  };
}
