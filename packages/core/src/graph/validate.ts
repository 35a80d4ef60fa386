import type { Definition } from "../engine/definition.js";
import type { EventRole } from "../event/event.js";

export type GraphCheck = "start" | "stop" | "consumed" | "produced" | "reachability" | "deadEnd" | "collect" | "join";
export const graphChecks: readonly GraphCheck[] = ["start", "stop", "consumed", "produced", "reachability", "deadEnd", "collect", "join"];

/** One thing that is wrong with a workflow. */
export interface Finding {
  readonly check: string;
  readonly step?: string;
  readonly event?: string;
  readonly message: string;
  readonly hint: string;
}

export interface SkippedChecks {
  readonly workflow: readonly GraphCheck[];
  readonly steps: ReadonlyMap<string, readonly GraphCheck[]>;
}

export function findGraphProblems(_definition: Definition, _roleOf: (type: string) => EventRole, _skips: SkippedChecks): Finding[] {
  return [];
}
