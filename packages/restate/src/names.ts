/** Names of the services, and which run a key is. */
import type { RunKey } from "millrace/runtime";

export const RUN = "millrace.run";
export const INBOX = "millrace.inbox";

/** The tenant never holds a slash here, so the first one ends it. */
export function objectKey({ tenant, runId }: RunKey): string {
  return `${encodeURIComponent(tenant)}/${runId}`;
}

export function runKeyOf(key: string): RunKey {
  const slash = key.indexOf("/");
  return { tenant: decodeURIComponent(key.slice(0, slash)), runId: key.slice(slash + 1) };
}
