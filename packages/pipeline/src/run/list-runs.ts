import type { RunListing, Runtime } from "millrace/runtime";

/** Filter for the runs of a pipeline. */
export interface RunQuery {
  readonly sessionId?: string;
  readonly userId?: string;
  readonly status?: RunListing["status"];
  /** Maximum number of runs: 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** The `cursor` of the previous page. */
  readonly cursor?: string;
}

/** A page of runs, newest first. */
export interface RunPage {
  readonly runs: readonly RunListing[];
  /** Cursor for the next page; `null` on the last one. */
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
