/** The table: what each subject needs, and how much more than Millrace. */
import { arch, availableParallelism, cpus, totalmem } from "node:os";
import type { Measure, SubjectName } from "./measure.ts";

export interface Row {
  readonly measure: Measure;
  readonly found: { readonly [Name in SubjectName]?: number | string };
}

const columns: readonly SubjectName[] = ["millrace", "bare", "effect", "workflow-core", "xstate"];
const titles = ["", "unit", "budget", "Millrace", "bare", "Effect 4.1.0", "workflow-core 1.3.4", "XState 5.33.3"];

/** A Markdown table, which is readable in a terminal as well. */
export function table(rows: readonly Row[]): string {
  const lines = [titles, ...rows.map(cells)];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => [...(line[column] ?? "")].length), 3));
  const draw = (line: readonly string[]): string =>
    `| ${line.map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const rule = `|${widths.map((width, column) => (column < 2 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  const [head = [], ...body] = lines.map(draw);
  return [head, rule, ...body].flat().join("\n");
}

function cells({ measure, found }: Row): string[] {
  const { name, unit, budget } = measure;
  return [
    name,
    unit,
    budget === undefined ? "" : `≤ ${budget}`,
    ...columns.map((column) => cell({ measure, found }, column)),
  ];
}

function cell({ measure, found }: Row, column: SubjectName): string {
  const value = found[column];
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  if (column === "millrace") return number(value) + (isMissed({ measure, found }) ? " ✗" : "");
  const own = found.millrace;
  const ratio = typeof own === "number" && own > 0 && value > 0 ? ` (${number(value / own)}×)` : "";
  return number(value) + ratio;
}

export function isMissed({ measure, found: { millrace } }: Row): boolean {
  return measure.budget !== undefined && typeof millrace === "number" && millrace > measure.budget;
}

/** Two or three digits that count. */
function number(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "an unknown processor";
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores (${model}, ${arch()}), ${memoryGb} GB, Node ${process.versions.node}`;
}
