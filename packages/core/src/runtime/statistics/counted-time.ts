/** Times that are counted, in periods of a length that people read off. */
import { timeOf, wrongOption } from "../../value/options.js";
import type { CountedTime } from "../api/statistics.types.js";
import { SLOT_MS } from "../store/statistics.types.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const lengths: readonly number[] = [
  ...[1, 5, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 5, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 7, 28, 364].map((days) => days * DAY),
];

export interface TimeRange {
  readonly after: Date | number | undefined;
  readonly before: Date | number | undefined;
}

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

/** At most `periods` periods that hold all of the range. @throws {WorkflowError} `OPTION_INVALID` */
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

interface Slots {
  readonly fromSlot: number;
  readonly toSlot: number;
  readonly slots: number;
}

export function slotsOf({ fromMs, toMs, periodMs }: CountedTime): Slots {
  return { fromSlot: fromMs / SLOT_MS, toSlot: toMs / SLOT_MS, slots: periodMs / SLOT_MS };
}
