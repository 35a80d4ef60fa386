import { invalidOption } from "./output/cli-error.js";
import { valueText } from "./output/format.js";

/** Of `runs`, as the option has it. */
export const defaultLimit = "20";

/** What a server takes as an id. Made up, where none is given. @throws {CliError} `OPTION_INVALID` */
export function newRunId(given: string | undefined): string {
  if (given === undefined) return globalThis.crypto.randomUUID();
  if (/^\P{Cc}{1,200}$/u.test(given) && given !== "." && given !== "..") return given;
  throw invalidOption(
    `\`--id\` is ${valueText(JSON.stringify(given), 40)}.`,
    "Use 1 to 200 characters without control characters, other than `.` and `..`.",
  );
}

/** `name=value`, each. @throws {CliError} `OPTION_INVALID` */
export function labelsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(given.map(labelOf));
}

function labelOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw invalidOption(
    `\`--label\` is ${JSON.stringify(text)}, without a name and a value.`,
    "Write `--label name=value`.",
  );
}

/** @throws {CliError} `OPTION_INVALID` */
export function wholeNumber(option: string, text: string, [least, most]: readonly [number, number]): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isInteger(number) && number >= least && number <= most) return number;
  throw invalidOption(`\`--${option}\` is ${JSON.stringify(text)}.`, `Use a whole number from ${least} to ${most}.`);
}

/** A time as Millrace takes it in a text. @throws {CliError} `OPTION_INVALID` */
export function durationOf(option: string, text: string): string {
  if (/^\d+(\.\d+)?(ms|[smhd])$/.test(text)) return text;
  throw invalidOption(
    `\`--${option}\` is ${JSON.stringify(text)}, which is not a duration.`,
    "Use a number with its unit, such as 30s, 5m, 2h or 30d.",
  );
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Epoch milliseconds of `2h`, which is so long ago, or of a time such as `2026-11-20` or `2026-11-20T08:00Z`; `null` for others. */
export function sinceMs(text: string, nowMs: number): number | null {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)(ms|[smhd])$/.exec(text) ?? [];
  if (count !== undefined) return nowMs - Number(count) * (unitMs[unit] ?? 0);
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}
