import { invalidOption } from "../errors/workflow-error.js";
import { formatValue } from "./kind.js";
import { type Rule, valueRule } from "./option-rules.js";

/** Milliseconds, or text such as `"500ms"`, `"30s"`, `"5m"`, `"2h"`, `"1d"`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Longest duration in milliseconds: now plus it is still a valid `Date`, which a store can hold. */
const LONGEST_MS = 8e15;

/** Rounded up, so that nothing is due too early: a run counts in whole milliseconds. What is longer than `LONGEST_MS` ends there. */
export function wholeMs(ms: number): number {
  return Math.min(Math.ceil(ms), LONGEST_MS);
}

/**
 * Returns whole milliseconds. `option` is the name in the error.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when it is negative, not finite, or not a duration text.
 */
export function toMs(duration: Duration, option: string): number {
  const ms = msOf(duration);
  if (ms !== null) return ms;
  throw invalidOption(
    `\`${option}\` is ${formatValue(duration)}, which is not a duration.`,
    'Pass milliseconds from 0 up, or text such as "500ms", "30s", "5m", "2h", "1d".',
    { option, reason: "duration" },
  );
}

/** Returns whole milliseconds; `null` for a value that is not a duration. */
export function msOf(duration: unknown): number | null {
  const [, amount, unit] = (typeof duration === "string" && /^(\d+(?:\.\d+)?)(ms|[smhd])$/.exec(duration)) || [];
  const ms = unit === undefined ? duration : Number(amount) * (unitMs[unit] as number);
  return typeof ms === "number" && ms >= 0 && ms < Infinity ? wholeMs(ms) : null;
}

export const duration: Rule = /* @__PURE__ */ valueRule((value) => msOf(value) !== null, 'a duration, as 500 or "30s"');
