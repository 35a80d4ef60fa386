import { isEmptyContent, toText } from "./text.js";

/** What earlier runs of a session leave for later ones. Of completed runs only, the oldest first. */
export interface HistoryRun {
  /** The input of the run, as it was given. */
  readonly input?: unknown;
  /** The content that the run ended with. */
  readonly content?: unknown;
}

/** The newest `count` runs; without a count all of them, with none below 1. The order stays. */
export function historyWindow<Run>(runs: readonly Run[], count?: number | null): readonly Run[] {
  if (count === undefined || count === null) return runs;
  return count >= 1 ? runs.slice(-count) : [];
}

/** Runs as a block that goes in front of a message, numbered from the oldest one in it; `undefined` without runs. */
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
