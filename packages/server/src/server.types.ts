import type { Runtime } from "millrace/runtime";
import type { RouteTable } from "./http/route.js";
import type { ResolvedOptions } from "./options.js";
import type { StreamSlots } from "./stream/stream-slots.js";
import type { WorkflowCatalog } from "./workflow-facts.js";

/** What every group of routes gets. */
export interface Server extends RouteTable {
  readonly runtime: Runtime<any>;
  readonly catalog: WorkflowCatalog;
  readonly slots: StreamSlots;
  readonly options: ResolvedOptions;
}
