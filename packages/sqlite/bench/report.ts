/** The tables: what each driver reaches, and what it is held against. */
import { arch, availableParallelism, cpus, totalmem } from "node:os";
import { type Budget, type Driver, drivers, type Found, type Measure } from "./measure.ts";

export interface Row {
  /** Head of the column of what it is held against. */
  readonly base: string;
  readonly measure: Measure;
  readonly found: { readonly [Name in Driver]?: Found };
}

/** One table for each kind of base. Markdown, which is readable in a terminal as well. */
export function tables(rows: readonly Row[]): string {
  const bases = [...new Set(rows.map(({ base }) => base))];
  return bases
    .map((base) =>
      table(
        base,
        rows.filter((row) => row.base === base),
      ),
    )
    .join("\n\n");
}

function table(base: string, rows: readonly Row[]): string {
  const used = drivers.filter((driver) => rows.some(({ found }) => found[driver] !== undefined));
  const titles = ["", "unit", "budget", ...used.flatMap((driver) => [driver, base, "ratio"])];
  const lines = [titles, ...rows.map((row) => cells(row, used))];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => [...(line[column] ?? "")].length), 3));
  const draw = (line: readonly string[]): string =>
    `| ${line.map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const rule = `|${widths.map((width, column) => (column < 2 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  const [head = [], ...body] = lines.map(draw);
  return [head, rule, ...body].flat().join("\n");
}

function cells({ measure: { name, unit, budget }, found }: Row, used: readonly Driver[]): string[] {
  return [name, unit, shownBudget(budget), ...used.flatMap((driver) => numbers(found[driver], budget))];
}

function numbers(found: Found | undefined, budget: Budget | undefined): string[] {
  if (found === undefined) return ["", "", ""];
  const mark = budget === undefined ? "" : isKept(found, budget) ? " ✓" : " ✗";
  const { reached, base, ratio } = found;
  return [number(reached) + mark, base === null ? "" : number(base), ratio === null ? "" : `${number(ratio)}×`];
}

function shownBudget(budget: Budget = {}): string {
  const { atLeast, atMost, ratioAtLeast, ratioAtMost } = budget;
  const shown = (sign: string, value: number | undefined, unit: string): string[] =>
    value === undefined ? [] : [`${sign} ${value.toLocaleString("en")}${unit}`];
  const all = [
    shown("≥", atLeast, ""),
    shown("≤", atMost, ""),
    shown("≥", ratioAtLeast, "×"),
    shown("≤", ratioAtMost, "×"),
  ];
  return all.flat().join(", ");
}

export function isKept({ reached, ratio }: Found, budget: Budget): boolean {
  const { atLeast = -Infinity, atMost = Infinity, ratioAtLeast = -Infinity, ratioAtMost = Infinity } = budget;
  const isRatioKept = ratio === null || (ratio >= ratioAtLeast && ratio <= ratioAtMost);
  return reached >= atLeast && reached <= atMost && isRatioKept;
}

/** Budgets that were missed, by name and driver. */
export function missedOf(rows: readonly Row[]): string[] {
  return rows.flatMap(({ measure: { name, budget }, found }) =>
    drivers
      .filter((driver) => {
        const one = found[driver];
        return one !== undefined && budget !== undefined && !isKept(one, budget);
      })
      .map((driver) => `${name} (${driver})`),
  );
}

/** Two or three digits that count. */
export function number(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "an unknown processor";
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores (${model}, ${arch()}), ${memoryGb} GB, Node ${process.versions.node}`;
}
