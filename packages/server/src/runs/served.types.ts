import type { Runtime } from "millrace/runtime";
import type { ServerLimits } from "../options.js";
import type { WorkflowCatalog } from "../wire/workflow-facts.js";
import type { RunCounts } from "./count-runs.js";

/** The runs that are served. */
export interface Served {
  readonly runtime: Runtime<any>;
  readonly catalog: WorkflowCatalog;
  readonly counts: RunCounts;
  readonly limits: ServerLimits;
}
