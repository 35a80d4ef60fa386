/** Prints each change of the runs of a store or a server, until it is interrupted. */
import type { RunSummary } from "@millrace/client";
import type { Terminal } from "../output/terminal.js";
import { openTarget, withTarget } from "../target/open-target.js";
import { fromSummary, serverFilter } from "../target/run-rows.js";
import type { TargetOptions } from "../target/target.types.js";
import { interrupts } from "./interrupts.js";
import { type FilterOptions, filterOf } from "./run-filter.js";
import { jsonOf, paintedStatus } from "./runs.js";

interface TailOptions extends TargetOptions, FilterOptions {}

export async function tail(terminal: Terminal, options: TailOptions): Promise<number> {
  const filter = filterOf(options, Date.now());
  return withTarget(openTarget(terminal, options), async (target) => {
    const interrupt = interrupts();
    const { signal } = interrupt;
    try {
      for await (const change of target.client.watchRuns({ ...serverFilter(filter), signal })) {
        if (change.type === "open") terminal.note(`Following the runs of ${target.name}. Ctrl-C ends it.`);
        if (change.type === "changed") printChange(terminal, change.run);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      interrupt.stop();
    }
    return 0;
  });
}

function printChange(terminal: Terminal, run: RunSummary): void {
  const row = fromSummary(run);
  if (terminal.isJson) return terminal.json(jsonOf(row));
  const time = new Date(row.updatedAtMs).toISOString().slice(11, 19);
  const error = row.error == null ? "" : `  ${row.error}`;
  terminal.line(
    `${terminal.paint("dim", time)}  ${row.runId}  ${row.workflow}  ${paintedStatus(terminal, row.status)}${error}`,
  );
}
