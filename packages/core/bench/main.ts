/**
 * Millrace as it is published (`dist`), its peers and bare loops, side by side.
 *
 *     pnpm --filter millrace bench                     all
 *     pnpm --filter millrace bench chain edits         some scenarios
 *     pnpm --filter millrace bench --only=millrace     one subject, or some: --only=millrace,bare
 *     pnpm --filter millrace bench --write             puts the table into README.md
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { SubjectName } from "./measure.ts";
import { isMissed, machine, type Row, table } from "./report.ts";
import { scenarios } from "./scenarios/index.ts";

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, write: { type: "boolean", default: false } },
});

const unknown = wanted.filter((name) => !(name in scenarios));
if (unknown.length > 0)
  throw new TypeError(`No scenario ${unknown.join(", ")}: there are ${Object.keys(scenarios).join(", ")}`);

const only = options.only?.split(",") ?? null;
const rows: Row[] = [];
for (const [scenario, load] of Object.entries(scenarios)) {
  if (wanted.length > 0 && !wanted.includes(scenario)) continue;
  for (const [index, measure] of (await load()).measures.entries()) {
    const names = Object.keys(measure.subjects).filter((name) => only === null || only.includes(name));
    const found = names.map((name) => [name, take(scenario, index, name as SubjectName)]);
    const row: Row = { measure, found: Object.fromEntries(found) };
    rows.push(row);
    console.log(
      `${measure.name}: ${found.map(([name, value]) => `${name} ${shown(value)}`).join(", ")} ${measure.unit}`,
    );
  }
}

const missed = rows.filter(isMissed).map(({ measure }) => measure.name);
const summary = missed.length === 0 ? "Every budget is kept." : `Over budget (✗): ${missed.join("; ")}.`;
console.log(`\n${table(rows)}\n\n${summary}\n${machine()}`);
if (options.write) writeReadme();

function take(scenario: string, index: number, subject: SubjectName): number | string {
  const program = join(import.meta.dirname, "subject.ts");
  const answer = execFileSync(process.execPath, ["--expose-gc", program, scenario, String(index), subject], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(answer);
}

function shown(value: unknown): string {
  return typeof value === "number" ? value.toPrecision(3) : String(value);
}

function writeReadme(): void {
  const file = join(import.meta.dirname, "README.md");
  const [before = "", rest = ""] = readFileSync(file, "utf8").split("<!-- results -->\n");
  const after = rest.split("<!-- end of results -->")[1] ?? "";
  writeFileSync(
    file,
    `${before}<!-- results -->\n\n${table(rows)}\n\n${summary} Measured on ${machine()}.\n\n<!-- end of results -->${after}`,
  );
}
