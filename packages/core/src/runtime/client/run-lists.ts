/** Lists of stored runs. */

import { formatValue, hasFields } from "../../value/kind.js";
import { oneOf, valueRule } from "../../value/option-rules.js";
import { optionsOf, pageSize, refuseOptions, timeOf, wrongOption } from "../../value/options.js";
import type { RunFilter, RunListing } from "../api/runtime.types.js";
import { given } from "../options/call-options.js";
import { indexText, isIndexable } from "../options/input-index.js";
import { sealOwner } from "../store/run-key.js";
import type { RunQuery, StoredRun, StoredStatus } from "../store/run-store.types.js";
import { storedStatuses } from "../store/store-kit.js";

/** @throws {WorkflowError} `OPTION_INVALID` */
export function storeQuery({ limit = 100, search, order, cursor, ...where }: RunFilter): RunQuery {
  refuseOptions(optionsOf("`runs`"), [...searchRule(search, "search"), ...orderRule(order, "order")]);
  return {
    ...(order !== undefined && { order }),
    ...(cursor !== undefined && { cursor }),
    ...filterQuery(where),
    limit: pageSize(limit),
    ...(search !== undefined && search !== "" && { search }),
  };
}

type Conditions = Omit<RunFilter, "search" | "order" | "limit" | "cursor">;

type ConditionQuery = Omit<RunQuery, "search" | "order" | "limit" | "cursor">;

/** @throws {WorkflowError} `OPTION_INVALID` */
export function filterQuery(conditions: Conditions): ConditionQuery {
  const { tenant = "", status, input, createdAfter, createdBefore, ...where } = conditions;
  return {
    ...given(where),
    tenant,
    ...(status !== undefined && { status: statusesOf(status, storedStatuses) }),
    ...(input !== undefined && { index: wantedInput(input) }),
    ...(createdAfter !== undefined && { createdAfterMs: timeOf(createdAfter, "createdAfter") }),
    ...(createdBefore !== undefined && { createdBeforeMs: timeOf(createdBefore, "createdBefore") }),
  };
}

/** @throws {WorkflowError} `OPTION_INVALID` for a value that no run is found by. */
function wantedInput(input: NonNullable<RunFilter["input"]>): { readonly [name: string]: string } {
  if (!hasFields(input)) throw wrongOption("input", `is ${formatValue(input)}, not an object`, inputHint);
  const texts = Object.entries(input).map(([name, value]): [string, string] => {
    if (!isIndexable(value)) throw wrongOption(`input.${name}`, `is ${formatValue(value)}`, inputHint);
    return [name, indexText(value)];
  });
  return Object.fromEntries(texts);
}

const inputHint = "Pass a text, a number, a boolean or null for each name of `static index`.";

/** Checks statuses: an unknown status would find nothing, for ever. @throws {WorkflowError} `OPTION_INVALID` */
export function statusesOf(
  status: StoredStatus | readonly StoredStatus[],
  known: readonly StoredStatus[],
): readonly StoredStatus[] {
  const statuses: readonly StoredStatus[] = Array.isArray(status) ? status : [status as StoredStatus];
  for (const one of statuses)
    if (!known.includes(one))
      throw wrongOption(
        "status",
        `is ${formatValue(one)}, not one of ${known.join(", ")}`,
        "Pass one of these, or a list of them.",
      );
  return statuses;
}

/** Refuses search texts that no store can compare, or only slowly. */
const searchRule = valueRule(
  (search) => typeof search === "string" && search.length <= 1_000 && !/\0|\p{Surrogate}/u.test(search),
  "a text of at most 1,000 characters that ids can have",
);
const orderRule = oneOf("newest", "oldest");

export function toListing(run: StoredRun): RunListing {
  const { key, workflow, version, status, createdAtMs, updatedAtMs, endedAtMs, wakeAtMs, labels, ticks, lastEvent } =
    run;
  const { forkedFrom, queue, hasPlace } = run;
  return {
    ...key,
    workflow,
    version,
    status,
    createdAtMs,
    updatedAtMs,
    endedAtMs,
    wakeAtMs,
    labels,
    ticks,
    // The event that ends a stream is how the run ended, which is not an event of the store.
    lastEvent: endedAtMs === null ? lastEvent : lastEvent + 1,
    forkedFrom,
    queue: queue === null ? null : { ...queue, hasPlace },
    isSealed: sealOwner(run) !== undefined,
  };
}
