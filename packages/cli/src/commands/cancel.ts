import { CliError } from "../output/cli-error.js";
import { commandText } from "../output/command-text.js";
import type { Terminal } from "../output/terminal.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { TargetOptions } from "../target/target.types.js";

import { type OneOrManyCommand, oneOrMany } from "./one-or-many.js";

interface CancelOptions extends TargetOptions {
  readonly runId: string;
  readonly reason?: string;
}

async function cancelOne(terminal: Terminal, options: CancelOptions): Promise<number> {
  const { runId, reason } = options;
  return withTarget(openTarget(terminal, { ...options, code: "required", executes: true }), async (target) => {
    target.local?.own(runId);
    const run = target.client.handle(runId);
    await run.cancel(reason === undefined ? {} : { reason });
    const { status } = await run.summary();
    if (status !== "cancelled") throw ended(runId, status);
    if (terminal.isJson) terminal.json({ run_id: runId, status: "cancelled" });
    else {
      terminal.line("cancelled");
      terminal.note(`Continue with: ${commandText("resume", { args: [runId], flags: target.flags })}`);
    }
    return 0;
  });
}

export const cancel: OneOrManyCommand<Pick<CancelOptions, "reason">> = oneOrMany<Pick<CancelOptions, "reason">>(
  "cancel",
  cancelOne,
);

function ended(runId: string, status: string): CliError {
  return new CliError({
    code: "RUN_FINISHED",
    message: `The run ${runId} was ${status} before.`,
    hint: "A run that has ended cannot be cancelled.",
  });
}
