/** The runs that a caller may see. */
import type { RunOutcome } from "millrace";
import type { RunHandle } from "millrace/runtime";
import type { Server } from "../server.types.js";

export interface OfTenant {
  readonly tenant: string;
  readonly params: { readonly id: string };
}

/** A run of this tenant. One of another is not there. */
export function handleOf({ runtime }: Server, { tenant, params }: OfTenant): RunHandle {
  return runtime.handle(params.id, { tenant });
}

/** @param outcome What `handle.outcome()` gave. */
export function isEnd(outcome: RunOutcome | null): boolean {
  return outcome !== null && outcome.status !== "waiting";
}
