import { isEmptyContent, toText } from "@millrace/executor";

/** What a completed run leaves for later runs of its session. */
export interface HistoryRun {
  /** The input of the run. */
  readonly input?: unknown;
  /** The content at the end of the run. */
  readonly content?: unknown;
}

/** The newest `count` runs in their order: all runs without a count, none for a count below 1. */
export function historyWindow<Run>(runs: readonly Run[], count?: number | null): readonly Run[] {
  if (count === undefined || count === null) return runs;
  return count >= 1 ? runs.slice(-count) : [];
}

/** Describes runs in a block of text for a prompt, numbered from the oldest; `undefined` without runs. */
export function historyText(runs: readonly HistoryRun[]): string | undefined {
  if (runs.length === 0) return undefined;
  const blocks = runs.map(({ input, content }, index) =>
    [`[run-${index + 1}]`, ...line("input", input), ...line("response", content)].join("\n"),
  );
  return `<workflow_history_context>\n${blocks.join("\n\n")}\n</workflow_history_context>`;
}

function line(label: string, value: unknown): string[] {
  return isEmptyContent(value) ? [] : [`${label}: ${toText(value)}`];
}
