import type { ResolvedOptions } from "../options.js";
import type { Quotas } from "../quota/quotas.js";
import type { Served } from "../runs/served.types.js";
import type { LiveRuns } from "../stream/live-runs.js";
import type { RouteTable } from "./route.js";

/** What every group of routes is given. */
export interface Server extends RouteTable, Served {
  readonly quotas: Quotas;
  readonly options: ResolvedOptions;
  readonly live: LiveRuns;
}
