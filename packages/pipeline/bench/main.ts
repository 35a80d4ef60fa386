/**
 * Pipelines as they are published (`dist`) beside the core workflow that does the same.
 *
 *     pnpm --filter @millrace/pipeline bench                     all
 *     pnpm --filter @millrace/pipeline bench sequence loop       some scenarios
 *     pnpm --filter @millrace/pipeline bench --write             puts the table into README.md
 */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { directory } from "./files.ts";
import { type Found, subjects } from "./measure.ts";
import { machine, missedOf, type Row, shown, table } from "./report.ts";
import { scenarios } from "./scenarios/index.ts";

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean", default: false } },
});

const unknown = wanted.filter((name) => !(name in scenarios));
if (unknown.length > 0)
  throw new TypeError(`No scenario ${unknown.join(", ")}: there are ${Object.keys(scenarios).join(", ")}`);

const rows: Row[] = [];
for (const [scenario, load] of Object.entries(scenarios)) {
  if (wanted.length > 0 && !wanted.includes(scenario)) continue;
  for (const [index, measure] of (await load()).measures.entries()) {
    const found = take(scenario, index);
    rows.push({ measure, found });
    const values = subjects.filter((name) => found[name]).map((name) => `${name} ${shown(found[name])}`);
    console.log(`${measure.name}: ${values.join(", ")} ${measure.unit}`);
  }
}
rmSync(directory, { recursive: true, force: true });

const missed = missedOf(rows);
const summary = missed.length === 0 ? "Every budget is kept." : `Over budget (✗): ${missed.join("; ")}.`;
console.log(`\n${table(rows)}\n\n${summary}\n${machine()}`);
if (options.write) writeReadme();

function take(scenario: string, index: number): Found {
  const program = join(import.meta.dirname, "subject.ts");
  const flags = ["--expose-gc", "--disable-warning=ExperimentalWarning"];
  const answer = execFileSync(process.execPath, [...flags, program, scenario, String(index)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(answer);
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
