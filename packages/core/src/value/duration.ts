import { WorkflowError } from "../errors/workflow-error.js";

/** Milliseconds, or text such as `"500ms"`, `"30s"`, `"5m"`, `"2h"`, `"1d"`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * In milliseconds. `option` is the name that the error gives.
 *
 * @throws {WorkflowError} `DURATION_INVALID` when it is negative, not finite, or no such text.
 */
export function toMs(duration: Duration, option: string): number {
  const [, amount, unit] = (typeof duration === "string" && /^(\d+(?:\.\d+)?)(ms|[smhd])$/.exec(duration)) || [];
  const ms = unit === undefined ? duration : Number(amount) * (unitMs[unit] as number);
  if (typeof ms === "number" && ms >= 0 && ms < Infinity) return ms;
  throw new WorkflowError({
    code: "DURATION_INVALID",
    message: `\`${option}\` is ${typeof duration === "string" ? JSON.stringify(duration) : String(duration)}, which is no duration.`,
    hint: 'Give milliseconds from 0 up, or text such as "500ms", "30s", "5m", "2h", "1d".',
    details: { option },
  });
}
