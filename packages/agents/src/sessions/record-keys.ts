/** Where sessions and their runs lie among the records of a store. */
import type { RecordKey, RecordQuery } from "millrace/runtime";
import type { AgentSessionRun } from "./sessions.types.js";

const SESSION_KIND = "agent-session";
const RUN_KIND = "agent-run";
/** The largest epoch milliseconds of a `Date`; sixteen digits. */
const LAST_MS = 8_640_000_000_000_000;

export function sessionKey(tenant: string, sessionId: string): RecordKey {
  return { tenant, kind: SESSION_KIND, id: sessionId };
}

/** The id sorts by the time left until `LAST_MS`, so that the newest run comes first. */
export function runKey(tenant: string, sessionId: string, { runId, createdAtMs }: AgentSessionRun): RecordKey {
  const place = String(LAST_MS - createdAtMs).padStart(16, "0");
  return { tenant, kind: RUN_KIND, id: `${idPart(sessionId)}/${place}/${runId}` };
}

export function runPrefix(
  tenant: string,
  sessionId: string,
): Required<Pick<RecordQuery, "tenant" | "kind" | "prefix">> {
  return { tenant, kind: RUN_KIND, prefix: `${idPart(sessionId)}/` };
}

/** Escapes slashes, or the runs of "a/b" would be among those of "a". */
function idPart(sessionId: string): string {
  return sessionId.replaceAll("%", "%25").replaceAll("/", "%2F");
}
