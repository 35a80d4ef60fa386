/** The state of a run, now or as it was after a tick, as plain JSON. */
import { toldError } from "../output/cli-error.js";
import type { Target } from "../target/target.types.js";

export async function stateAt(target: Target, runId: string, at: number | null): Promise<unknown> {
  const path = `/handlers/${encodeURIComponent(runId)}`;
  if (at !== null) return (await target.ask<{ state: unknown }>(`${path}/at/${at}`)).state;
  const last = await lastTick(target, path);
  return (await target.ask<{ state: unknown }>(`${path}/at/${last}`)).state;
}

async function lastTick(target: Target, path: string): Promise<number> {
  const { ticks } = await target.ask<{ ticks: { last: number } | null }>(path);
  return ticks?.last ?? 0;
}

/** Null where the run cannot be loaded, or the server is older than that. */
export async function stateOrNull(target: Target, runId: string): Promise<unknown> {
  try {
    return await stateAt(target, runId, null);
  } catch (error) {
    if (/^(NOT_FOUND|WORKFLOW_UNKNOWN|HISTORY_TRIMMED)$/.test(toldError(error).code)) return null;
    throw error;
  }
}
