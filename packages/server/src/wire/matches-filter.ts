/** Whether the record of a run matches the filter of a list, for lists that are kept up to date. */
import type { HandlerRecord } from "millrace/wire";
import type { ListFilter } from "./schemas.js";

/** Labels, or values of inputs, by name; `null` where one would have two values, as no run has. */
export function labelsOf(given: readonly string[]): Readonly<Record<string, string>> | null {
  const pairs = given.map((one): [string, string] => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]);
  const labels = new Map(pairs);
  return pairs.some(([name, value]) => labels.get(name) !== value) ? null : Object.fromEntries(labels);
}

/** What of a run never changes: a run that does not fit in this never was in the list. */
export function matchesFixed(record: HandlerRecord, filter: ListFilter): boolean {
  const { workflow_name, label, queue, created_after, created_before } = filter;
  const startedAtMs = Date.parse(record.started_at);
  const labels = label === undefined ? {} : labelsOf(label);
  return (
    labels !== null &&
    Object.entries(labels).every(([name, value]) => record.labels[name] === value) &&
    (workflow_name === undefined || workflow_name.includes(record.workflow_name)) &&
    (queue === undefined || record.queue?.name === queue) &&
    (created_after === undefined || startedAtMs > created_after) &&
    (created_before === undefined || startedAtMs < created_before)
  );
}

export function matchesFilter(record: HandlerRecord, filter: ListFilter): boolean {
  const { status, version, waiting, queued, q = "" } = filter;
  return (
    matchesFixed(record, filter) &&
    (version === undefined || record.version === version) &&
    (status === undefined || status.some((one) => (isApart(one) ? record[one] : one === record.status))) &&
    (waiting === undefined || record.waiting === waiting) &&
    (queued === undefined || record.queued === queued) &&
    matchesText(record, q)
  );
}

/** Whether it is a status of a filter that records have as a field. */
function isApart(status: string): status is "waiting" | "queued" {
  return status === "waiting" || status === "queued";
}

/** Searches as the store does, in what the record of the run shows. */
export function matchesText({ handler_id, labels, error }: HandlerRecord, q: string): boolean {
  const wanted = folded(q);
  return (
    folded(handler_id).startsWith(wanted) ||
    Object.values(labels).some((value) => folded(value).includes(wanted)) ||
    (error !== null && folded(error).includes(wanted))
  );
}

function folded(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
