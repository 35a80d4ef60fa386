/**
 * Pages of runs.
 *
 * The store filters by one workflow, and finds what is searched for among so many runs. For several workflows, and for a search, pages
 * of the store are read on, never more than a request has time for, so that each page ends at a cursor of the store.
 *
 * @module
 */

import { storedStatuses } from "millrace/engine";
import type { RunFilter, RunListing, StoredStatus } from "millrace/runtime";
import type { HandlerRecord } from "millrace/wire";
import { nowMs, pauseMs } from "../system.js";
import { fromCursor, toCursor } from "../wire/cursor.js";
import { isWaiting, listedRecord, openStatus, shortRecord, shownStatus } from "../wire/handler-record.js";
import { labelsOf, matchesText } from "../wire/matches-filter.js";
import type { ListFilter, ListQuery } from "../wire/schemas.js";
import type { Served } from "./served.types.js";

export interface ListRequest {
  readonly tenant: string;
  readonly query: Omit<ListQuery, "sse" | "sort"> & Partial<Pick<ListQuery, "sort">>;
}

export interface HandlerPage {
  readonly handlers: readonly HandlerRecord[];
  readonly cursor: string | null;
}

/** Maximum number of runs that are read for one page. */
const mostLookedAt = 5_000;
/** Milliseconds after which a search returns what it has found. */
const mostSearchedMs = 300;

type ListServer = Pick<Served, "runtime" | "catalog">;

/**
 * Only runs that are shown are counted: a search finds in the store what errors do not show, and neither the length of a page nor
 * its cursor may reveal that.
 */
export async function listRuns(server: ListServer, request: ListRequest): Promise<HandlerPage> {
  const { limit, q = "" } = request.query;
  const reading = new ListReading(server, request);
  const found = await reading.next(limit);
  const { cursor } = reading;
  const isMore =
    cursor !== null &&
    (q === "" || found.length < limit || (await reading.next(1)).length > 0 || reading.cursor !== null);
  return { handlers: found.map(shortRecord), cursor: isMore ? toCursor("handlers", cursor) : null };
}

type Filter = Pick<
  RunFilter,
  | "version"
  | "status"
  | "labels"
  | "input"
  | "queue"
  | "failure"
  | "failedStep"
  | "createdAfter"
  | "createdBefore"
  | "search"
  | "order"
>;

/** The conditions of a query, but for the workflows. */
export function filterOf({
  version,
  status,
  waiting,
  queued,
  label,
  input,
  queue,
  created_after,
  created_before,
  failure,
  failed_step,
  q,
  sort,
}: ListFilter & Partial<Pick<ListQuery, "sort">>): Filter {
  const isWanted = (one: StoredStatus): boolean =>
    (status === undefined || status.includes(shownStatus(one)) || status.includes(openStatus(one))) &&
    (waiting === undefined || isWaiting(one) === waiting) &&
    (queued === undefined || (one === "queued") === queued);
  const labels = label === undefined ? undefined : labelsOf(label);
  if (labels === null) return { status: [] };
  return {
    ...((status ?? waiting ?? queued) !== undefined && { status: storedStatuses.filter(isWanted) }),
    ...(labels !== undefined && { labels }),
    ...(version !== undefined && { version }),
    ...(input !== undefined && { input: labelsOf(input) ?? {} }),
    ...(queue !== undefined && { queue }),
    ...(failure !== undefined && { failure }),
    ...(failed_step !== undefined && { failedStep: failed_step }),
    ...(created_after !== undefined && { createdAfter: created_after }),
    ...(created_before !== undefined && { createdBefore: created_before }),
    ...(q !== undefined && q !== "" && { search: q }),
    ...(sort === "created_at" && { order: "oldest" as const }),
  };
}

class ListReading {
  readonly #server: ListServer;
  readonly #request: ListRequest;
  readonly #filter: Filter;
  readonly #untilMs: number = nowMs() + mostSearchedMs;
  #lookedAt = 0;
  /** Where the next page of the store begins; `null` after the last one. */
  cursor: string | null;
  #isFirst = true;

  constructor(server: ListServer, request: ListRequest) {
    const { cursor } = request.query;
    this.#server = server;
    this.#request = request;
    this.#filter = filterOf(request.query);
    this.cursor = cursor === undefined ? null : fromCursor(cursor, ["handlers"]).place;
  }

  /** The next runs, at most `limit`; fewer at the end, and when the time of the request is over. */
  async next(limit: number): Promise<HandlerRecord[]> {
    const found: HandlerRecord[] = [];
    while (found.length < limit && this.#mayContinue()) found.push(...(await this.#page(limit - found.length)));
    return found;
  }

  #mayContinue(): boolean {
    if (this.#request.query.workflow_name?.length === 0) return false;
    if (this.#isFirst) return true;
    if (this.cursor === null) return false;
    return this.#filter.search === undefined ? this.#lookedAt < mostLookedAt : nowMs() < this.#untilMs;
  }

  async #page(limit: number): Promise<HandlerRecord[]> {
    const { tenant, query } = this.#request;
    const { workflow_name: names } = query;
    // A store in this process returns page after page without a turn for other requests.
    if (!this.#isFirst) await pauseMs(0);
    this.#isFirst = false;
    const { runs, cursor } = await this.#server.runtime.runs({
      tenant,
      limit,
      ...(names?.length === 1 && { workflow: names[0] as string }),
      ...this.#filter,
      ...(this.cursor !== null && { cursor: this.cursor }),
    });
    this.cursor = cursor;
    this.#lookedAt += runs.length;
    return this.#shown(runs.filter(({ workflow }) => names === undefined || names.includes(workflow)));
  }

  async #shown(runs: readonly RunListing[]): Promise<HandlerRecord[]> {
    const { runtime, catalog } = this.#server;
    const { tenant, query } = this.#request;
    const records = await Promise.all(
      runs.map((listing) => listedRecord(listing, runtime.handle(listing.runId, { tenant }), catalog)),
    );
    return records.filter((record): record is HandlerRecord => record !== null && matchesText(record, query.q ?? ""));
  }
}
