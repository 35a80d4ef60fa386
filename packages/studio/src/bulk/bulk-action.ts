/** Actions on many runs, and what the pages call them. */
import type { BulkAction, Deed } from "@millrace/client";
import type { StatusFilter } from "../model/run-filter.js";
import type { IconName } from "../ui/icon.js";

export type ListAction = Exclude<BulkAction, "answer">;

/** `"all"`: every run that matches the filter, loaded or not. */
export type Selection = readonly string[] | "all";

/** The runs that a job has cancelled. */
export interface RunsOfJob {
  readonly cancelledBy: string;
}

export interface ActionWords {
  readonly verb: string;
  readonly past: string;
  readonly icon: IconName;
  readonly deed: Deed;
}

export const actionWords: Readonly<Record<BulkAction, ActionWords>> = {
  retry: { verb: "Retry", past: "retried", icon: "retry", deed: "retry" },
  resume: { verb: "Resume", past: "resumed", icon: "play", deed: "resume" },
  cancel: { verb: "Cancel", past: "cancelled", icon: "cancelled", deed: "cancel" },
  delete: { verb: "Delete", past: "deleted", icon: "failed", deed: "delete" },
  answer: { verb: "Answer", past: "answered", icon: "person", deed: "answer" },
};

const fitting: Readonly<Record<StatusFilter, readonly ListAction[]>> = {
  all: ["retry", "resume", "cancel", "delete"],
  running: ["cancel"],
  queued: ["cancel"],
  waiting: ["cancel", "delete"],
  failed: ["retry", "delete"],
  completed: ["delete"],
  cancelled: ["resume", "delete"],
};

/** Those that a list of runs with that status is for. */
export function actionsFor(status: StatusFilter): readonly ListAction[] {
  return fitting[status];
}

export function runsText(count: number): string {
  return count === 1 ? "1 run" : `${count.toLocaleString("en")} runs`;
}
