/** What the list of runs is narrowed down to. It is kept while other pages are looked at. */
import type { RunFilter as ClientFilter, RunSummary } from "@millrace/client";
import { errorOf } from "../api/run-facts.js";
import { createStore, type Store } from "../store.js";

export type StatusFilter = "all" | "running" | "waiting" | "queued" | "failed" | "completed" | "cancelled";

export interface RunFilter {
  readonly status: StatusFilter;
  /** Name of a workflow; `""` for all. */
  readonly workflow: string;
  /** Of the program that has continued the run last; `""` for any. */
  readonly version: string;
  /** Values of the input, by the names of the `static index` of the workflow. */
  readonly input: Readonly<Record<string, string>>;
  /** Beginning of an id, a label's value, or text of an error. */
  readonly search: string;
  /** Labels that the runs have, each with exactly this value. */
  readonly labels: Readonly<Record<string, string>>;
  /** When the runs were started: `2h` ago, or a time such as `2026-11-20`; `""` for any. */
  readonly after: string;
  readonly before: string;
  /** Id of a group of failures; `""` for any run. */
  readonly failure: string;
  /** Step at which the runs failed; `""` for any run. */
  readonly failedStep: string;
}

export const noFilter: RunFilter = {
  status: "all",
  workflow: "",
  version: "",
  input: {},
  search: "",
  labels: {},
  after: "",
  before: "",
  failure: "",
  failedStep: "",
};

export const runFilter: Store<RunFilter> = createStore(noFilter);

/** The client lists a run that waits as `running`. */
const statuses: Readonly<Record<StatusFilter, ClientFilter>> = {
  all: {},
  running: { status: "running", waiting: false, queued: false },
  waiting: { waiting: true },
  queued: { status: "queued" },
  failed: { status: "failed" },
  completed: { status: "completed" },
  cancelled: { status: "cancelled" },
};

export function selectionOf(filter: RunFilter, nowMs: number): ClientFilter {
  const { status, workflow, version, search, labels, input, failure, failedStep } = filter;
  const wanted = search.trim();
  const { afterMs, beforeMs } = timesOf(filter, nowMs);
  return {
    ...statuses[status],
    ...(workflow !== "" && { workflow }),
    ...(wanted !== "" && { search: wanted }),
    ...(version !== "" && { version }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(input).length > 0 && { input }),
    ...(failure !== "" && { failure }),
    ...(failedStep !== "" && { failedStep }),
    ...(afterMs !== null && { createdAfter: afterMs }),
    ...(beforeMs !== null && { createdBefore: beforeMs }),
  };
}

function timesOf({ after, before }: RunFilter, nowMs: number) {
  return { afterMs: sinceMs(after, nowMs), beforeMs: sinceMs(before, nowMs) };
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Epoch milliseconds of `2h`, which is so long ago, or of a time; `null` for others. */
export function sinceMs(text: string, nowMs: number): number | null {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return nowMs - Number(count) * (unitMs[unit] ?? 0);
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

/**
 * Whether a run that has changed may be in the list: as the server filters, but for values of inputs, which only the store knows, and
 * for how it has failed, which its record does not say.
 */
export function letsThrough(filter: RunFilter, run: RunSummary, nowMs: number): boolean {
  const { status, workflow, version, search, labels } = filter;
  const { afterMs, beforeMs } = timesOf(filter, nowMs);
  return (
    isOf(status, run) &&
    (workflow === "" || run.workflow === workflow) &&
    (version === "" || run.version === version) &&
    Object.entries(labels).every(([name, value]) => run.labels[name] === value) &&
    (afterMs === null || run.startedAtMs > afterMs) &&
    (beforeMs === null || run.startedAtMs < beforeMs) &&
    matches(search.trim(), run)
  );
}

/** Whether the list has only runs that failed in some way: a changed run that is not listed may be of it or not. */
export function isOfFailure({ failure, failedStep }: RunFilter): boolean {
  return failure !== "" || failedStep !== "";
}

/** Whether only the store knows which runs are in the list. */
export function isOfInput({ input }: RunFilter): boolean {
  return Object.keys(input).length > 0;
}

function isOf(status: StatusFilter, run: RunSummary): boolean {
  return status === "all" || run.status === status;
}

function matches(search: string, run: RunSummary): boolean {
  const wanted = search.toLowerCase();
  const texts = [...Object.values(run.labels), errorOf(run)?.message ?? ""];
  return run.handlerId.toLowerCase().startsWith(wanted) || texts.some((text) => text.toLowerCase().includes(wanted));
}
