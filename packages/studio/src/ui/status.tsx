/** Statuses: one function decides the status of a run, so that no two pages disagree. */
import type { ReactNode } from "react";
import type { Handler } from "../api/contract.types.js";
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

/** A waiting run is `running` in the API; people see that it waits. */
export function statusOf(run: Pick<Handler, "status" | "waiting">): ShownStatus {
  if (run.status === "completed") return "done";
  return run.status === "running" && run.waiting ? "waiting" : run.status;
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
