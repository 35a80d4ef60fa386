/**
 * What stores over a database share: which statuses are ends, how pages are limited and continued, and which ids begin with a prefix.
 *
 * @module
 */
import { wrongOption } from "../value/option-value.js";
import type { StoredStatus } from "./run-store.types.js";

const isEndedByStatus: { readonly [Status in StoredStatus]: boolean } = {
  scheduled: false,
  running: false,
  waiting: false,
  completed: true,
  failed: true,
  cancelled: true,
  timedOut: true,
};

export const storedStatuses: readonly StoredStatus[] = Object.keys(isEndedByStatus) as StoredStatus[];

export function isStoredStatus(status: string): status is StoredStatus {
  return Object.hasOwn(isEndedByStatus, status);
}

export function isEndedStatus(status: StoredStatus): boolean {
  return isEndedByStatus[status];
}

const MAX_PAGE = 1_000;

/**
 * Returns the limit of a page, as it was given.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when it is not a whole number from 1 to 1,000.
 */
export function checkPageLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE) return limit;
  const what = `is ${limit}; it must be a whole number from 1 to ${MAX_PAGE}`;
  throw wrongOption("limit", what, "Ask for smaller pages, and continue with `cursor`.");
}

/** Where a run stands in pages of runs. `id` is the store's own number of the run. */
export interface PagePosition {
  readonly createdAtMs: number;
  readonly id: number;
}

export function encodePageCursor({ createdAtMs, id }: PagePosition): string {
  return btoa(`${createdAtMs}:${id}`).replaceAll("=", ""); // digits and ":" give base64 without "+" and "/"
}

/** @throws {WorkflowError} `OPTION_INVALID` for a text that {@link encodePageCursor} did not give. */
export function decodePageCursor(cursor: string): PagePosition {
  const [, createdAtMs, id] = /^(-?\d{1,16}):(\d{1,16})$/.exec(fromBase64(cursor)) ?? [];
  if (createdAtMs !== undefined && id !== undefined) return { createdAtMs: Number(createdAtMs), id: Number(id) };
  const hint = "Give the `cursor` of the page before, unchanged, or leave it out.";
  throw wrongOption("cursor", "is none that this store gave", hint);
}

function fromBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}

/** A range of ids in the order of their UTF-8 bytes. */
export interface IdRange {
  readonly from: string;
  /** Whether `from` itself is left out. */
  readonly isAfter: boolean;
  /** The first id after the range; null when there is none. */
  readonly end: string | null;
}

/** The ids that begin with `prefix` and come after `cursor`, the last id of the page before. */
export function rangeOfPrefix(prefix: string, cursor: string | undefined): IdRange {
  const isAfter = cursor !== undefined && isBeyond(cursor, prefix);
  return { from: isAfter ? cursor : prefix, isAfter, end: endOf(prefix) };
}

function isBeyond(id: string, other: string): boolean {
  const utf8 = new TextEncoder();
  const [left, right] = [utf8.encode(id), utf8.encode(other)];
  const at = left.findIndex((byte, index) => byte !== right[index]);
  return at < 0 ? left.length >= right.length : (left[at] as number) > (right[at] ?? -1);
}

/** The first text after every text with the prefix; `null` when there is none. */
function endOf(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) as number);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue;
    // Code points of surrogates are skipped: they are not characters.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return null;
}
