/**
 * Counts of stores: the measures of one transaction, durations as ranges, and times in periods.
 *
 * Groups failures of one kind: the same workflow, step and code, and the same message once numbers, ids, quoted values and
 * addresses are replaced.
 *
 * @module
 */

import type { Outcome } from "../../host.js";
import type { ErrorRecord } from "../../value/error-record.js";
import { timeOf, wrongOption } from "../../value/options.js";
import type { CountedTime } from "../api/operate.types.js";
import type { CommitResult, RunCommit } from "../store/run-store.types.js";
import {
  type Measure,
  type MeasuredFailure,
  SLOT_MS,
  type StatisticsQuery,
  type StatisticsRow,
} from "../store/statistics.types.js";

/** Names of a series of counts. */
export interface Series extends Pick<Measure, "workflow" | "step" | "version" | "failure"> {
  readonly tenant: string;
  /** The same for equal series only. */
  readonly key: string;
}

/** Equal measures of one slot. */
export interface CountedMeasures extends Pick<Measure, "status" | "range"> {
  readonly series: Series;
  readonly slot: number;
  count: number;
  firstAtMs: number;
  lastAtMs: number;
}

/** Status of a commit: a refused commit adds no counts. */
type Status = Pick<CommitResult, "status">;

/** Sums of the measures of the commits that were stored. @param results What became of each. @default all were stored */
export function countMeasures(commits: readonly RunCommit[], results?: readonly Status[]): CountedMeasures[] {
  const sums: CountedMeasures[] = [];
  for (let index = 0; index < commits.length; index++) {
    const { key, measures } = commits[index] as RunCommit;
    if (measures === undefined || (results !== undefined && results[index]?.status !== "stored")) continue;
    for (const measure of measures) add(sums, key.tenant, measure);
  }
  return sums;
}

/** A group has few sums: to compare with each takes less time than to make a key of the measure. */
function add(sums: CountedMeasures[], tenant: string, measure: Measure): void {
  const { status, range, atMs } = measure;
  const slot = Math.floor(atMs / SLOT_MS);
  for (const sum of sums) {
    if (sum.range !== range || sum.status !== status || sum.slot !== slot) continue;
    if (sum.series.tenant === tenant && isOf(sum.series, measure))
      return addTo(sum, { count: 1, firstAtMs: atMs, lastAtMs: atMs });
  }
  sums.push({ series: seriesOf(tenant, measure), slot, status, range, count: 1, firstAtMs: atMs, lastAtMs: atMs });
}

/** Adds counts of equal measures. */
export function addTo(sum: CountedMeasures, other: Pick<CountedMeasures, "count" | "firstAtMs" | "lastAtMs">): void {
  sum.count += other.count;
  sum.firstAtMs = Math.min(sum.firstAtMs, other.firstAtMs);
  sum.lastAtMs = Math.max(sum.lastAtMs, other.lastAtMs);
}

function seriesOf(tenant: string, { workflow, step, version, failure }: Measure): Series {
  const key = JSON.stringify([tenant, workflow, step, version, failure?.id ?? null]);
  return { tenant, workflow, step, version, failure, key };
}

function isOf(series: Series, { workflow, step, version, failure }: Measure): boolean {
  const isSame = series.step === step && series.workflow === workflow && series.version === version;
  return isSame && series.failure?.id === failure?.id;
}

/** The kind of measures that a series counts. */
export function kindOf({ step, failure }: Pick<Measure, "step" | "failure">): StatisticsQuery["kind"] {
  if (failure !== null) return "failures";
  return step === null ? "runs" : "attempts";
}

interface MeasuredColumns extends Omit<StatisticsRow, "failure" | "firstAtMs" | "lastAtMs"> {
  readonly failure: string | null;
  readonly text: string | null;
  readonly first_at: number;
  readonly last_at: number;
}

/** Reads a row of a store in SQL: the columns have these names, in snake case, and `text` is that of the failure. */
export function statisticsRowOf(row: unknown): StatisticsRow {
  const { failure, text, first_at, last_at, ...more } = row as MeasuredColumns;
  const { workflow, step, version, period, status, range, count } = more;
  const kind = failure === null ? null : { id: failure, text: text ?? "null" };
  return {
    workflow,
    step,
    version,
    failure: kind,
    period,
    status,
    range,
    count,
    firstAtMs: first_at,
    lastAtMs: last_at,
  };
}

// ---- durations as ranges of a logarithmic scale, eight to a doubling
// Counts of ranges can be added up, and a quantile read from them is at most 5 percent off.

/** Ranges from one duration to its double. */
const PER_DOUBLING = 8;

/** Number of the range of a duration. 0 for less than a millisecond. */
export function durationRange(durationMs: number): number {
  return durationMs < 1 ? 0 : 1 + Math.floor(PER_DOUBLING * Math.log2(durationMs));
}

/** The middle of a range, in milliseconds. */
export function rangeMs(range: number): number {
  return range === 0 ? 0 : Math.round(2 ** ((range - 0.5) / PER_DOUBLING));
}

/** The duration that this share of all does not exceed, in milliseconds; `null` without any. @param counts By range. @param share From 0 to 1. */
export function quantileMs(counts: ReadonlyMap<number, number>, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const range of [...counts.keys()].sort((one, other) => one - other)) {
    below += counts.get(range) ?? 0;
    if (below >= share * total) return rangeMs(range);
  }
  return null;
}

// ---- times that are counted, in periods of a length that people read off

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const lengths: readonly number[] = [
  ...[1, 5, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 5, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 7, 28, 364].map((days) => days * DAY),
];

type TimeRange = { readonly [End in "after" | "before"]: Date | number | undefined };

export interface CountedOptions {
  readonly nowMs: number;
  /** Length without `after`. */
  readonly defaultMs: number;
  readonly periods: number;
  /** Least length of a period. */
  readonly leastMs: number;
  /** Names of the options, for errors. */
  readonly names: readonly [after: string, before: string];
}

/** Returns at most `periods` periods that cover the range. @throws {WorkflowError} `OPTION_INVALID` */
export function countedTime({ after, before }: TimeRange, options: CountedOptions): CountedTime {
  const [afterName, beforeName] = options.names;
  const endMs = before === undefined ? options.nowMs + 1 : timeOf(before, beforeName);
  const startMs = after === undefined ? endMs - options.defaultMs : timeOf(after, afterName);
  if (startMs >= endMs)
    throw wrongOption(afterName, `is not before \`${beforeName}\``, "Swap the two, or leave one out.");
  const long = Math.ceil((endMs - startMs) / Math.max(1, options.periods - 1));
  const found = lengths.find((length) => length >= options.leastMs && length >= long);
  const periodMs = found ?? Math.ceil(long / DAY) * DAY;
  const fromMs = Math.floor(startMs / periodMs) * periodMs;
  return { fromMs, toMs: Math.ceil(endMs / periodMs) * periodMs, periodMs };
}

/** Facts that identify a kind of failure. */
export interface FailureKind {
  readonly step: string | null;
  readonly code: string | null;
  /** Message with placeholders. */
  readonly message: string;
}

/** Longer messages are cut first: what follows is data more often than text. */
const READ_LENGTH = 1_000;
const KEPT_LENGTH = 300;

/** Each is linear: no repetition is followed by what it could match itself. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/https?:\/\/[^\s"'<>]+/gi, "<url>"],
  [/[^\s@"'<>(),;:]{1,64}@[^\s@"'<>(),;:]{1,255}/g, "<email>"],
  [/"[^"\n]*"|`[^`\n]*`|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])|“[^”\n]*”/gu, "<value>"],
];

// Letters and what joins them are apart, so each place is read once.
const word = /-?[\p{L}\p{N}_]+(?:[.,-]+[\p{L}\p{N}_]+)*/gu;
const digit = /\p{N}/u;
const number = /^[-.]?\p{N}[\p{N}._,-]*(?:ms|s|m|h|d|%|kB|MB|GB|[kKMG]i?B)?$/u;

/** The message with placeholders for what differs between failures of one kind. */
export function generalMessage(message: string): string {
  let text = message.slice(0, READ_LENGTH);
  for (const [pattern, placeholder] of replacements) text = text.replace(pattern, placeholder);
  return text
    .replace(word, placeholderOf)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, KEPT_LENGTH)
    .replace(/[\uD800-\uDBFF]$/, "");
}

function placeholderOf(text: string): string {
  if (!digit.test(text)) return text;
  return number.test(text) ? "<number>" : "<id>";
}

/** Returns the kind of a failure; `null` for an outcome that is not a failure. */
export function failureKind(outcome: Outcome): FailureKind | null {
  if (outcome.status === "timedOut")
    return { step: outcome.activeSteps[0] ?? null, code: "RUN_TIMED_OUT", message: "The run has timed out." };
  if (outcome.status !== "failed") return null;
  const { step, error } = innermost({ step: outcome.failure.stepName, error: outcome.failure.error });
  return { step, code: error.code ?? null, message: generalMessage(error.message) };
}

/** The step of the run's own workflow that has failed: where the failure is of a nested pipeline, the step that contains it. */
export function failedStepOf(outcome: Outcome): string | null {
  if (outcome.status !== "failed") return failureKind(outcome)?.step ?? null;
  const { stepName, error } = outcome.failure;
  return wrapped(error)?.step ?? stepName;
}

interface FailedStep {
  readonly step: string | null;
  readonly error: ErrorRecord;
}

function innermost(failed: FailedStep): FailedStep {
  const inner = wrapped(failed.error);
  return inner === null ? failed : innermost(inner);
}

/** An error whose details name another step wraps the error of that step, as that of a pipeline does. */
function wrapped({ cause, details }: ErrorRecord): FailedStep | null {
  const step = details?.["stepName"];
  return cause === undefined || typeof step !== "string" || step === "" ? null : { step, error: cause };
}

/** @param hash That of the store. */
export function measuredFailure(workflow: string, kind: FailureKind, hash: (text: string) => string): MeasuredFailure {
  const text = JSON.stringify(kind);
  return { id: hash(JSON.stringify([workflow, text])).slice(0, 16), text };
}
