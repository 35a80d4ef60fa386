import stringWidth from "string-width";
import { emptyMetrics, sumMetrics } from "@millrace/executor";
import type { RunMetricsData, StepMetrics, StepMetricsData } from "@millrace/pipeline";
import { cleanText } from "./clean-text.js";
import type { Terminal } from "./terminal.js";

const header = ["Step", "Executor", "Seconds", "Tokens", "In", "Out"];

/** Lists one line per step, and one for the run. */
export function metricsTable(metrics: RunMetricsData, { style }: Terminal): string[] {
  const steps = Object.values(metrics.steps);
  const total = sumMetrics(steps.map((step) => step.metrics)) ?? emptyMetrics;
  const rows = [
    header,
    ...steps.map((step) => [
      cleanText(step.stepName).replaceAll("\n", " "),
      executorText(step),
      ...numbersOf(step.metrics),
    ]),
    ["Run", "", ...numbersOf({ ...total, duration: metrics.duration })],
  ];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] as string))));
  return rows.map((row, index) => {
    const line = row.map((cell, column) =>
      padded(cell, { column, spaces: (widths[column] as number) - stringWidth(cell) }),
    );
    return index === 0 ? style.dim(line.join("  ")) : line.join("  ");
  });
}

function executorText({ executorType, executorName }: StepMetrics): string {
  if (executorType === "function") return executorType; // most functions have no name
  return cleanText(executorName ? `${executorType} ${executorName}` : executorType).replaceAll("\n", " ");
}

function numbersOf({ duration, totalTokens, inputTokens, outputTokens }: StepMetricsData): string[] {
  return [duration.toFixed(2), ...[totalTokens, inputTokens, outputTokens].map(String)];
}

/** Aligns text to the left and numbers to the right. */
function padded(cell: string, { column, spaces }: { readonly column: number; readonly spaces: number }): string {
  return column < 2 ? cell + " ".repeat(spaces) : " ".repeat(spaces) + cell;
}
