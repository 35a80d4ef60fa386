/**
 * Durable runs as they are published (`dist` of both packages), and the same driver without them.
 *
 *     pnpm --filter @millrace/sqlite bench                          all
 *     pnpm --filter @millrace/sqlite bench ticks chain              some scenarios
 *     pnpm --filter @millrace/sqlite bench --driver=node:sqlite     one driver
 *     pnpm --filter @millrace/sqlite bench --write                  puts the tables into README.md
 */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { directory, disk } from "./files.ts";
import { type Driver, drivers, type Found } from "./measure.ts";
import { machine, missedOf, number, type Row, tables } from "./report.ts";
import { scenarios } from "./scenarios/index.ts";

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { driver: { type: "string" }, write: { type: "boolean", default: false } },
});

const unknown = wanted.filter((name) => !(name in scenarios));
if (unknown.length > 0)
  throw new TypeError(`No scenario ${unknown.join(", ")}: there are ${Object.keys(scenarios).join(", ")}`);

// What an earlier call has left may have another format.
rmSync(directory, { recursive: true, force: true });
const place = disk();
const rows: Row[] = [];
for (const [scenario, load] of Object.entries(scenarios)) {
  if (wanted.length > 0 && !wanted.includes(scenario)) continue;
  const { base, measures } = await load();
  for (const [index, measure] of measures.entries()) {
    const names = drivers.filter((name) => options.driver === undefined || options.driver === name);
    const found = names.map((name) => [name, take(scenario, index, name)] as const);
    rows.push({ base, measure, found: Object.fromEntries(found) });
    console.log(`${measure.name}: ${found.map(([name, one]) => `${name} ${shown(one)}`).join(", ")} ${measure.unit}`);
  }
}
rmSync(directory, { recursive: true, force: true });

const missed = missedOf(rows);
const summary = missed.length === 0 ? "Every budget is kept." : `Missed (✗): ${missed.join("; ")}.`;
const where = `${machine()}, ${place}`;
console.log(`\n${tables(rows)}\n\n${summary}\n${where}`);
if (options.write) writeReadme();

function take(scenario: string, index: number, driver: Driver): Found {
  const program = join(import.meta.dirname, "subject.ts");
  const answer = execFileSync(process.execPath, ["--expose-gc", program, scenario, String(index), driver], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(answer);
}

function shown({ reached, ratio }: Found): string {
  return ratio === null ? number(reached) : `${number(reached)} (${number(ratio)}×)`;
}

function writeReadme(): void {
  const file = join(import.meta.dirname, "README.md");
  const [before = "", rest = ""] = readFileSync(file, "utf8").split("<!-- results -->\n");
  const after = rest.split("<!-- end of results -->")[1] ?? "";
  writeFileSync(
    file,
    `${before}<!-- results -->\n\n${tables(rows)}\n\n${summary} Measured on ${where}.\n\n<!-- end of results -->${after}`,
  );
}
