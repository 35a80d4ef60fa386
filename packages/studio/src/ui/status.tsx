/** Statuses: one function decides the status of a run, so that no two pages disagree. */

import type { RunSummary } from "@millrace/client";
import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.js";

export type ShownStatus = "running" | "waiting" | "done" | "failed" | "cancelled" | "queued" | "idle";

const words: Readonly<Record<ShownStatus, string>> = {
  running: "Running",
  waiting: "Waiting",
  done: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
  queued: "Queued",
  idle: "Not reached",
};

export function wordOf(status: ShownStatus): string {
  return words[status];
}

export function statusOf({ status }: Pick<RunSummary, "status">): ShownStatus {
  return status === "completed" ? "done" : status;
}

export function StatusIcon({ status }: { readonly status: ShownStatus }): ReactNode {
  const name: IconName = status === "idle" ? "queued" : status;
  return <Icon name={name} className={status === "running" ? "spin" : ""} />;
}

/** Class of the colour of a status. */
export function toneOf(status: ShownStatus): string {
  return `s-${status === "idle" ? "queued" : status}`;
}

export function StatusBadge({ status }: { readonly status: ShownStatus }): ReactNode {
  return (
    <span className={`st badge ${toneOf(status)}`}>
      <StatusIcon status={status} />
      {words[status]}
    </span>
  );
}
