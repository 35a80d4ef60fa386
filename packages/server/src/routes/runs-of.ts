/** Access to the runs of one tenant. */
import type { RunHandle } from "millrace/runtime";
import type { Server } from "./server.types.js";

export interface OfTenant {
  readonly tenant: string;
  readonly params: { readonly id: string };
}

/** Handle of a run of this tenant; runs of other tenants are unknown. */
export function handleOf({ runtime }: Server, { tenant, params }: OfTenant): RunHandle {
  return runtime.handle(params.id, { tenant });
}
