/** Who has answered a prompt that is closed. */

import { WorkflowError } from "../../errors/workflow-error.js";
import type { AppliedTick, PromptAnswer } from "../../host.js";
import { entries, keptTicks, type LoadFrom, loadTree, steps } from "../worker/load/load.js";

/**
 * Reads the answer from the journal. `null`: it has no answer, its tick is no longer kept, or this code cannot read the journal.
 */
export async function answerTo(from: LoadFrom, promptId: string): Promise<PromptAnswer | null> {
  try {
    const sent = await firstSent(from, promptId);
    return sent === null ? null : await firstTaken(from, promptId, sent);
  } catch (error) {
    // The refusal itself holds without it.
    if (WorkflowError.is(error)) return null;
    throw error;
  }
}

/** Number of the first tick with an answer to the prompt, which the run may have refused. */
async function firstSent(from: LoadFrom, promptId: string): Promise<number | null> {
  const { first } = await keptTicks(from);
  for await (const { number, entry } of entries(from, first - 1))
    if (entry.json.type === "event.received" && entry.json["promptId"] === promptId) return number;
  return null;
}

/** Only the reducer knows which of several answers the run has accepted. */
async function firstTaken(from: LoadFrom, promptId: string, sent: number): Promise<PromptAnswer | null> {
  const loaded = await loadTree(from, sent - 1);
  for await (const { applied } of steps(from, loaded)) {
    loaded.tree.forgetOutcomes();
    const answer = applied === null ? null : takenAnswer(applied, promptId);
    if (answer !== null) return answer;
  }
  return null;
}

function takenAnswer({ tick, commands }: AppliedTick, promptId: string): PromptAnswer | null {
  if (tick.type !== "event.received" || tick.promptId !== promptId) return null;
  const isTaken = commands.some((command) => command.type === "receipt.send" && command.receipt.status === "accepted");
  return isTaken ? { atMs: tick.atMs, by: tick.by ?? null } : null;
}
