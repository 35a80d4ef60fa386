import { defaultLimit, wholeNumber } from "../option-values.js";
import { commandText } from "../output/command-text.js";
import { agoText, tableText } from "../output/format.js";
import type { Style, Terminal } from "../output/terminal.js";
import { wired } from "../output/wire-names.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { RunListQuery, RunRow, RunStatus, Target, TargetOptions } from "../target/target.types.js";
import { failureOf } from "./failure-of.js";
import { type FilterOptions, filterOf } from "./run-filter.js";

interface RunsOptions extends TargetOptions, FilterOptions {
  readonly limit: string;
  readonly cursor?: string;
}

export async function runs(terminal: Terminal, options: RunsOptions): Promise<number> {
  const { cursor } = options;
  const query: RunListQuery = {
    ...filterOf(options, Date.now()),
    limit: wholeNumber("limit", options.limit, [1, 1_000]),
    ...(cursor !== undefined && { cursor }),
  };
  return withTarget(openTarget(terminal, options), async (target) => {
    const { cursor: next, runs: listed } = await target.list(query);
    const page = { cursor: next, runs: await Promise.all(listed.map((row) => withError(target, row))) };
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
function nextPage({ workflow, status, label, where, limit }: RunsOptions, flags: readonly string[]): string {
  const filters = [
    ...(workflow === undefined ? [] : ["--workflow", workflow]),
    ...status.flatMap((one) => ["--status", one]),
    ...label.flatMap((one) => ["--label", one]),
    ...(where === undefined ? [] : ["--where", where]),
    ...(limit === defaultLimit ? [] : ["--limit", limit]),
  ];
  return commandText("runs", { flags: [...filters, ...flags] });
}

/** A store lists runs without their errors. */
async function withError(target: Target, row: RunRow): Promise<RunRow> {
  if (row.error !== undefined || row.status !== "failed") return row;
  const failure = await failureOf(target, row.runId, row.ticks);
  return { ...row, error: failure?.message ?? null };
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
  const cells = rows.map(({ runId, workflow, status, createdAtMs, labels, error }) => [
    runId,
    workflow,
    status,
    agoText(createdAtMs, nowMs),
    [
      ...Object.entries(labels)
        .filter(([name]) => !name.startsWith("millrace."))
        .map(([name, value]) => `${name}=${value}`),
      ...(error == null ? [] : [error]),
    ].join("  "),
  ]);
  return tableText(cells, terminal.columns).map((line, index) => {
    const { status } = rows[index] as RunRow;
    return line.replace(` ${status}`, ` ${paintedStatus(terminal, status)}`);
  });
}

export function paintedStatus(terminal: Terminal, status: RunStatus): string {
  return terminal.paint(styles[status] ?? "dim", status);
}

export function jsonOf({
  runId,
  workflow,
  version,
  status,
  createdAtMs,
  updatedAtMs,
  endedAtMs,
  wakeAtMs,
  labels,
  ticks,
  error,
}: RunRow): object {
  const facts = { runId, workflow, version, status, createdAtMs, updatedAtMs, endedAtMs, wakeAtMs, labels, ticks };
  return wired({ ...facts, ...(error != null && { error }) });
}
