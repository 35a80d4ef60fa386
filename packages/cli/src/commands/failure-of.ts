/** Why a run has failed: the last failure among its ticks, as they are stored, so that it needs no code. */
import type { Target } from "../target/target.types.js";
import { type HistoryLine, historyOf } from "./history-of.js";

export interface RunFailure {
  readonly runId: string;
  readonly item: number | null;
  readonly message: string;
  /** `file:line:column` of the user's code, as the stack has it; `null` where it has none. */
  readonly place: string | null;
  /** Of an error of Millrace. */
  readonly hint: string | null;
}

/** Ticks before the end in which the failure is looked for. */
const LAST_TICKS = 50;

/** @param ticks Number of ticks of the run; `null` where it is not known. */
export async function failureOf(target: Target, runId: string, ticks: number | null): Promise<RunFailure | null> {
  const after = Math.max(0, (ticks ?? 0) - LAST_TICKS);
  const failures = (await historyOf(target, runId, after)).filter(({ tick }) => tick.type === "step.failed");
  const failed = failures.findLast((line) => codeOf(line) !== "PIPELINE_FAILED") ?? failures.at(-1);
  if (failed === undefined) return null;
  const { item, error } = failed.tick as { readonly item?: unknown; readonly error?: unknown };
  const { message, stack, hint } = (error ?? {}) as Readonly<Record<string, unknown>>;
  return {
    runId: failed.runId,
    item: typeof item === "number" ? item : null,
    message: typeof message === "string" ? message : "",
    place: typeof stack === "string" ? placeIn(stack) : null,
    hint: typeof hint === "string" ? hint : null,
  };
}

/** A pipeline fails once more after its step has failed. */
function codeOf({ tick }: HistoryLine): unknown {
  return (tick["error"] as { readonly code?: unknown } | undefined)?.code;
}

/** The first line of a stack that is neither of Node nor of a package. */
export function placeIn(stack: string): string | null {
  for (const line of stack.split("\n")) {
    const place = (line.trim().split(" ").at(-1) ?? "").replace(/^\(/, "").replace(/\)$/, "");
    if (!/:\d+:\d+$/.test(place) || /node_modules|^node:|\/packages\/core\//.test(place)) continue;
    return place.replace(/^file:\/\//, "").replace(/\?[^:]*/, "");
  }
  return null;
}
