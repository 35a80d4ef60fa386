import type { Runtime } from "millrace/runtime";
import type { RunCounts } from "./runs/count-runs.js";
import type { RouteTable } from "./routes/route.js";
import type { ResolvedOptions } from "./options.js";
import type { Quotas } from "./quota/quotas.js";
import type { LiveRuns } from "./stream/live-runs.js";
import type { WorkflowCatalog } from "./runs/workflow-facts.js";

/** What every group of routes is given. */
export interface Server extends RouteTable {
  readonly runtime: Runtime<any>;
  readonly catalog: WorkflowCatalog;
  readonly quotas: Quotas;
  readonly options: ResolvedOptions;
  readonly counts: RunCounts;
  readonly live: LiveRuns;
}
