/** Names of the services, and the keys of runs. */
import type { RunKey } from "millrace/runtime";

export const RUN = "millrace.run";
export const INBOX = "millrace.inbox";

/** A tenant contains no slash, so the first slash ends it. */
export function objectKey({ tenant, runId }: RunKey): string {
  return `${encodeURIComponent(tenant)}/${runId}`;
}

export function runKeyOf(key: string): RunKey {
  const slash = key.indexOf("/");
  return { tenant: decodeURIComponent(key.slice(0, slash)), runId: key.slice(slash + 1) };
}
