/** The state of a run, now or as it was after a tick, as plain JSON. */
import { describeError } from "../output/cli-error.js";
import type { Target } from "../target/target.types.js";

/** @param at Now, where it is null; then a run that has not begun has none. */
export async function stateAt({ client }: Target, runId: string, at: number | null): Promise<unknown> {
  if (at !== null) return (await client.at(runId, at)).state;
  const { ticks, forkedFrom } = await client.handle(runId).summary();
  if (ticks === null && forkedFrom === null) return null;
  return (await client.at(runId, ticks?.last ?? 0)).state; // a fork has a state before its first tick
}

/** Returns `null` for a run that cannot be loaded. */
export async function stateOrNull(target: Target, runId: string): Promise<unknown> {
  try {
    return await stateAt(target, runId, null);
  } catch (error) {
    if (/^(WORKFLOW_UNKNOWN|HISTORY_TRIMMED)$/.test(describeError(error).code)) return null;
    throw error;
  }
}
