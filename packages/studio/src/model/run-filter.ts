/** What the list of runs is narrowed down to. It is kept while other pages are looked at. */
import type { Handler } from "../api/contract.types.js";
import type { Query } from "../api/request.js";
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

/** Running and not waiting: the API says `waiting=false`. */
const statuses: Readonly<Record<StatusFilter, Query>> = {
  all: {},
  running: { status: "running", waiting: false },
  waiting: { status: "waiting" },
  failed: { status: "failed" },
  completed: { status: "completed" },
  cancelled: { status: "cancelled" },
};

export function queryOf({ status, workflow, search }: RunFilter): Query {
  return { ...statuses[status], workflow_name: workflow, q: search.trim() };
}

/** Whether a run that has changed is in the list: as the server filters, so that one stream of changes serves every list. */
export function letsThrough({ status, workflow, search }: RunFilter, run: Handler): boolean {
  return isOf(status, run) && (workflow === "" || run.workflow_name === workflow) && matches(search.trim(), run);
}

function isOf(status: StatusFilter, run: Handler): boolean {
  if (status === "all") return true;
  if (status === "waiting") return run.status === "running" && run.waiting;
  if (status === "running") return run.status === "running" && !run.waiting;
  return run.status === status;
}

function matches(search: string, { handler_id: id, labels, error }: Handler): boolean {
  const wanted = search.toLowerCase();
  const texts = [...Object.values(labels), error ?? ""];
  return id.toLowerCase().startsWith(wanted) || texts.some((text) => text.toLowerCase().includes(wanted));
}
