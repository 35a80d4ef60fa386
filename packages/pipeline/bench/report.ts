/** The table: what a pipeline needs, and how many times as much as others that is. */
import { arch, availableParallelism, cpus, totalmem } from "node:os";
import { type Budget, type Found, type Measure, type Reached, subjects } from "./measure.ts";

export interface Row {
  readonly measure: Measure;
  readonly found: Found;
}

const titles = ["", "unit", "budget", "pipeline", "core", "core alone", "LangGraph 1.7.3"];

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

function cells({ measure: { name, unit, budget }, found }: Row): string[] {
  const mark = budget === undefined ? "" : isKept(found, budget) ? " ✓" : " ✗";
  const [own = "", ...others] = subjects.map((subject) => shown(found[subject]));
  return [name, unit, shownBudget(budget), own + mark, ...others];
}

export function shown(reached: Reached | undefined): string {
  if (reached === undefined) return "";
  const { value, ratio } = reached;
  return ratio === null ? number(value) : `${number(value)} (${number(ratio)}×)`;
}

function shownBudget({ atMost, timesCore }: Budget = {}): string {
  if (timesCore !== undefined) return `≤ ${timesCore}× core`;
  return atMost === undefined ? "" : `≤ ${atMost}`;
}

function isKept({ pipeline, core }: Found, { atMost = Infinity, timesCore = Infinity }: Budget): boolean {
  return (pipeline?.value ?? 0) <= atMost && (core?.ratio ?? 0) <= timesCore;
}

export function missedOf(rows: readonly Row[]): string[] {
  return rows
    .filter(({ measure: { budget }, found }) => budget !== undefined && !isKept(found, budget))
    .map(({ measure }) => measure.name);
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
