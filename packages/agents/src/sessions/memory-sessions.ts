import type { AgentSession, AgentSessionRun, AgentSessions, RunsQuery } from "../settings/sessions.types.js";

/** Creates sessions that live in memory, as long as the returned object. */
export function memorySessions(): AgentSessions {
  const sessions = new Map<string, AgentSession>();
  return {
    async load(sessionId, _userId, query) {
      const found = sessions.get(sessionId);
      if (found === undefined) return null;
      const fitting = found.runs.filter((run) => fits(run, query));
      return structuredClone({ ...found, runs: query.runs > 0 ? fitting.slice(-query.runs) : [] });
    },
    async save({ run, expectedVersion, ...change }) {
      const stored = sessions.get(change.sessionId);
      if ((stored?.version ?? 0) !== expectedVersion) return { status: "conflict" };

      const runs = withRun(stored?.runs ?? [], run);
      const version = expectedVersion + 1;
      sessions.set(change.sessionId, structuredClone({ ...change, runs, version }));
      return { status: "saved", version };
    },
  };
}

function withRun(runs: readonly AgentSessionRun[], run: AgentSessionRun | null): readonly AgentSessionRun[] {
  if (run === null) return runs;
  const isKnown = runs.some(({ runId }) => runId === run.runId);
  return isKnown ? runs.map((known) => (known.runId === run.runId ? run : known)) : [...runs, run];
}

export function fits(run: AgentSessionRun, { status, runId }: RunsQuery): boolean {
  return (status === undefined || run.status === status) && (runId === undefined || run.runId === runId);
}
