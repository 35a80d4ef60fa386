import type { AgentSession, AgentSessions } from "./sessions.types.js";

/** Sessions that live as long as the returned object. */
export function memorySessions(): AgentSessions {
  const sessions = new Map<string, AgentSession>();
  return {
    async load(sessionId, _userId, { runs: count, status }) {
      const found = sessions.get(sessionId);
      if (found === undefined) return null;
      const fitting = found.runs.filter((run) => status === undefined || run.status === status);
      return structuredClone({ ...found, runs: count > 0 ? fitting.slice(-count) : [] });
    },
    async save({ run, expectedVersion, ...change }) {
      const stored = sessions.get(change.sessionId);
      if ((stored?.version ?? 0) !== expectedVersion) return { status: "conflict" };

      const runs = [...(stored?.runs ?? []), ...(run === null ? [] : [run])];
      const version = expectedVersion + 1;
      sessions.set(change.sessionId, structuredClone({ ...change, runs, version }));
      return { status: "saved", version };
    },
  };
}
