import { defaultLimit, labelsOf, wholeNumber } from "../option-values.js";
import { CliError } from "../output/cli-error.js";
import { commandText } from "../output/command-text.js";
import { agoText, tableText } from "../output/format.js";
import type { Style, Terminal } from "../output/terminal.js";
import { wired } from "../output/wire-names.js";
import { openTarget, withTarget } from "../target/open-target.js";
import { runStatuses } from "../target/run-rows.js";
import type { RunListQuery, RunRow, RunStatus, TargetOptions } from "../target/target.types.js";

interface RunsOptions extends TargetOptions {
  readonly workflow?: string;
  readonly status: readonly string[];
  readonly label: readonly string[];
  readonly limit: string;
  readonly cursor?: string;
}

export async function runs(terminal: Terminal, options: RunsOptions): Promise<number> {
  const { workflow, cursor } = options;
  const query: RunListQuery = {
    limit: wholeNumber("limit", options.limit, [1, 1_000]),
    ...(workflow !== undefined && { workflow }),
    ...(options.status.length > 0 && { status: options.status.map(statusOf) }),
    ...(options.label.length > 0 && { labels: labelsOf(options.label) }),
    ...(cursor !== undefined && { cursor }),
  };
  return withTarget(openTarget(terminal, options), async (target) => {
    const page = await target.list(query);
    if (terminal.isJson) terminal.json({ runs: page.runs.map(jsonOf), cursor: page.cursor });
    else {
      for (const line of linesOf(terminal, page.runs)) terminal.line(line);
      if (page.runs.length === 0) terminal.note(`No runs in ${target.name}.`);
      if (page.cursor !== null) terminal.note(`More: ${nextPage(options, [...target.flags, "--cursor", page.cursor])}`);
    }
    return 0;
  });
}

/** The same list, from its next run on. */
function nextPage({ workflow, status, label, limit }: RunsOptions, flags: readonly string[]): string {
  const filters = [
    ...(workflow === undefined ? [] : ["--workflow", workflow]),
    ...status.flatMap((one) => ["--status", one]),
    ...label.flatMap((one) => ["--label", one]),
    ...(limit === defaultLimit ? [] : ["--limit", limit]),
  ];
  return commandText("runs", { flags: [...filters, ...flags] });
}

export function statusOf(text: string): RunStatus {
  const known = runStatuses.find((status) => status === text);
  if (known !== undefined) return known;
  throw new CliError({
    code: "OPTION_INVALID",
    message: `\`--status\` is ${JSON.stringify(text)}.`,
    hint: `Use one of ${runStatuses.join(", ")}.`,
  });
}

const styles: Readonly<Partial<Record<RunStatus, Style>>> = {
  completed: "green",
  failed: "red",
  timedOut: "red",
  waiting: "yellow",
  running: "cyan",
};

function linesOf(terminal: Terminal, rows: readonly RunRow[]): string[] {
  const nowMs = Date.now();
  const cells = rows.map(({ runId, workflow, status, createdAtMs, labels }) => [
    runId,
    workflow,
    status,
    agoText(createdAtMs, nowMs),
    Object.entries(labels)
      .filter(([name]) => !name.startsWith("millrace."))
      .map(([name, value]) => `${name}=${value}`)
      .join(" "),
  ]);
  return tableText(cells, terminal.columns).map((line, index) => {
    const { status } = rows[index] as RunRow;
    return line.replace(` ${status}`, ` ${terminal.paint(styles[status] ?? "dim", status)}`);
  });
}

export function jsonOf({
  runId,
  workflow,
  status,
  createdAtMs,
  updatedAtMs,
  endedAtMs,
  wakeAtMs,
  labels,
  ticks,
}: RunRow): object {
  return wired({ runId, workflow, status, createdAtMs, updatedAtMs, endedAtMs, wakeAtMs, labels, ticks });
}
