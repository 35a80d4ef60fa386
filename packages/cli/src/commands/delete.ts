import type { Terminal } from "../output/terminal.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { TargetOptions } from "../target/target.types.js";
import { type OneOrManyCommand, oneOrMany } from "./one-or-many.js";

interface DeleteOptions extends TargetOptions {
  readonly runId: string;
}

/** A run that has not ended is cancelled first. */
async function deleteOne(terminal: Terminal, options: DeleteOptions): Promise<number> {
  const { runId } = options;
  return withTarget(openTarget(terminal, { ...options, code: "known", executes: true }), async (target) => {
    await target.row(runId);
    await target.client.delete(runId);
    if (terminal.isJson) terminal.json({ run_id: runId, status: "deleted" });
    else terminal.line("deleted");
    return 0;
  });
}

export const deleteRuns: OneOrManyCommand = oneOrMany<unknown>("delete", deleteOne);
