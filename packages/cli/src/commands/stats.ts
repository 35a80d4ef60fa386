import type { Figures, StatisticsFilter, WorkflowFigures } from "@millrace/client";
import { sinceMs } from "../option-values.js";
import { invalidOption } from "../output/cli-error.js";
import { durationText, tableText } from "../output/format.js";
import type { Terminal } from "../output/terminal.js";
import { wiredTree } from "../output/wire-names.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { TargetOptions } from "../target/target.types.js";

export interface TimeOptions {
  readonly workflow?: string;
  readonly after?: string;
  readonly before?: string;
}

interface StatsOptions extends TargetOptions, TimeOptions {
  readonly byVersion?: boolean;
}

/** How many runs have ended and failed, and how long they took; of one workflow, its steps, too. */
export async function stats(terminal: Terminal, options: StatsOptions): Promise<number> {
  const filter: StatisticsFilter = { ...timeFilter(options), ...(options.byVersion === true && { by: "version" }) };
  return withTarget(openTarget(terminal, options), async (target) => {
    const statistics = await target.client.statistics(filter);
    if (terminal.isJson) {
      terminal.json(wiredTree(statistics));
      return 0;
    }
    if (statistics.workflows.length === 0) terminal.note(`No run has ended in this time in ${target.name}.`);
    else
      for (const line of tableText([head, ...statistics.workflows.flatMap(rowsOf)], terminal.columns))
        terminal.line(line);
    return 0;
  });
}

const head = ["", "ended", "failed", "half", "95 %"];

function rowsOf({ workflow, version, steps, ...figures }: WorkflowFigures): string[][] {
  const name = version === undefined ? workflow : `${workflow} ${version ?? "(version not known)"}`;
  return [[name, ...cellsOf(figures)], ...steps.map(({ step, ...ofStep }) => [`  ${step}`, ...cellsOf(ofStep)])];
}

function cellsOf({ count, failed, failureRate, p50Ms, p95Ms }: Figures): string[] {
  const share = failed === 0 ? "0" : `${failed} (${(failureRate * 100).toFixed(1)} %)`;
  return [String(count), share, ...[p50Ms, p95Ms].map((ms) => (ms === null ? "" : durationText(ms)))];
}

/** @throws {CliError} `OPTION_INVALID` with all problems. */
export function timeFilter({ workflow, after, before }: TimeOptions, nowMs: number = Date.now()) {
  const times = Object.entries({ after, before }).filter(([, text]) => text !== undefined) as [string, string][];
  const read = times.map(([name, text]) => [name, text, sinceMs(text, nowMs)] as const);
  const wrong = read.filter(([, , ms]) => ms === null);
  if (wrong.length > 0)
    throw invalidOption(
      wrong.map(([name, text]) => `\`--${name}\` is ${JSON.stringify(text)}, which is no time.`).join(" "),
      "Use a duration such as 2h, for so long ago, or a time such as 2026-11-20.",
    );
  return {
    ...(workflow !== undefined && { workflow }),
    ...(Object.fromEntries(read.map(([name, , ms]) => [name, ms])) as { after?: number; before?: number }),
  };
}
