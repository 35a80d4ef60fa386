/** What the list of runs is narrowed down to. It is kept while other pages are looked at. */
import type { RunFilter as ClientFilter, RunSummary } from "@millrace/client";
import { errorOf } from "../api/run-facts.js";
import { createStore, type Store } from "../store.js";

export type StatusFilter = "all" | "running" | "waiting" | "failed" | "completed" | "cancelled";

export interface RunFilter {
  readonly status: StatusFilter;
  /** Name of a workflow; `""` for all. */
  readonly workflow: string;
  /** Beginning of an id, a label's value, or text of an error. */
  readonly search: string;
}

export const noFilter: RunFilter = { status: "all", workflow: "", search: "" };

export const runFilter: Store<RunFilter> = createStore(noFilter);

/** The client lists a run that waits as `running`. */
const statuses: Readonly<Record<StatusFilter, ClientFilter>> = {
  all: {},
  running: { status: "running", waiting: false },
  waiting: { waiting: true },
  failed: { status: "failed" },
  completed: { status: "completed" },
  cancelled: { status: "cancelled" },
};

export function selectionOf({ status, workflow, search }: RunFilter): ClientFilter {
  const wanted = search.trim();
  return { ...statuses[status], ...(workflow !== "" && { workflow }), ...(wanted !== "" && { search: wanted }) };
}

/** Whether a run that has changed is in the list: as the server filters, so that one stream of changes serves every list. */
export function letsThrough({ status, workflow, search }: RunFilter, run: RunSummary): boolean {
  return isOf(status, run) && (workflow === "" || run.workflow === workflow) && matches(search.trim(), run);
}

function isOf(status: StatusFilter, run: RunSummary): boolean {
  return status === "all" || run.status === status;
}

function matches(search: string, run: RunSummary): boolean {
  const wanted = search.toLowerCase();
  const texts = [...Object.values(run.labels), errorOf(run)?.message ?? ""];
  return run.handlerId.toLowerCase().startsWith(wanted) || texts.some((text) => text.toLowerCase().includes(wanted));
}
