import type { AgentSessionRun, RunsQuery } from "./sessions.types.js";

export function fits(run: AgentSessionRun, { status, runId }: RunsQuery): boolean {
  return (status === undefined || run.status === status) && (runId === undefined || run.runId === runId);
}
