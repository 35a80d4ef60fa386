/** Runs of workflows that a server no longer has: it returns their outcome, but neither ticks nor state. */
import { CliError } from "../output/cli-error.js";
import { commandText } from "../output/command-text.js";
import type { RunRow, Target } from "./target.types.js";

/** None over a store: there a run is read as it is stored. */
export async function withoutWorkflow(target: Target, rows: readonly RunRow[]): Promise<RunRow[]> {
  if (target.local !== null) return [];
  const known = await Promise.all(rows.map(({ workflow }) => target.hasWorkflow(workflow)));
  return rows.filter((_row, index) => !known[index]);
}

interface Asked {
  readonly unknown: readonly RunRow[];
  /** The command that the store could do, and its arguments. */
  readonly command: string;
  readonly args: readonly string[];
}

export function unknownWorkflow(target: Target, { unknown, command, args }: Asked): CliError {
  const runs = unknown.map(({ runId, workflow }) => `the run ${runId} (${workflow})`).join(" and ");
  return new CliError({
    code: "WORKFLOW_UNKNOWN",
    message: `${target.name} does not have the workflow of ${runs}: ticks, state and result cannot be read there.`,
    hint: `Read them where they are stored: \`${commandText(command, { args, flags: ["--store", "…"] })}\`.`,
    details: { runs: unknown.map(({ runId, workflow }) => ({ run_id: runId, workflow })) },
  });
}
