import type { RunListing, Runtime } from "millrace/runtime";

export interface RunQuery {
  readonly sessionId?: string;
  readonly userId?: string;
  readonly status?: RunListing["status"];
  /** 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** Of the page before. */
  readonly cursor?: string;
}

export interface RunPage {
  readonly runs: readonly RunListing[];
  /** Null: this is the last page. */
  readonly cursor: string | null;
}

export function listRuns(runtime: Runtime, workflow: string, query: RunQuery): Promise<RunPage> {
  const { sessionId, userId, ...page } = query;
  const labels = {
    ...(sessionId !== undefined && { session: sessionId }),
    ...(userId !== undefined && { user: userId }),
  };
  return runtime.runs({ workflow, labels, ...page });
}
