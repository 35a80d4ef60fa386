/**
 * The soak by command: `pnpm soak [--kills=50] [--runs=200] [--processes=1] [--durability=process] [--seed=…] [--keep]`.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type SoakReport, soak } from "./kills.js";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    runs: { type: "string", default: "200" },
    processes: { type: "string", default: "1" },
    durability: { type: "string", default: "process" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    keep: { type: "boolean", default: false },
  },
});

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const directory = mkdtempSync(join(tmpdir(), "millrace-soak-"));
const [runs, kills, processes, seed] = [values.runs, values.kills, values.processes, values.seed].map(Number) as [
  number,
  number,
  number,
  number,
];
const durability = values.durability === "power" ? "power" : "process";
print(`seed ${seed}: ${runs} runs, ${kills} kills, ${processes} at a time, durability ${durability}, in ${directory}`);
const report = await soak({ directory, seed, runs, kills, processes, durability, onProgress: print });
print(tableOf(report));
if (!values.keep && report.problems.length === 0) rmSync(directory, { recursive: true });
process.exitCode = report.problems.length === 0 ? 0 : 1;

function tableOf(found: SoakReport): string {
  const underWay = [...found.underWay].sort((one, other) => one - other);
  const rows: [string, string | number][] = [
    ["runs completed with the right result", `${found.completed} of ${runs}`],
    ["kills, those at a commit or in an effect", `${found.kills}, ${found.aimedKills}`],
    ["stops past the lease", found.stops],
    ["runs under way at a kill: least, median, most", medianText(underWay)],
    ["most owners of one run", found.epochs],
    ["ticks, in commits", `${found.ticks}, ${found.commits}`],
    ["refused commits of former owners", found.refusedCommits],
    ["streamed events", found.events],
    ["side effects recorded once", found.effects],
    ["side effects that died before they were recorded", found.effectsAgain],
    ["acknowledged events, all there", found.receipts],
    ["time", `${(found.tookMs / 1_000).toFixed(1)} s`],
    ["problems", found.problems.length],
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const errors = [...new Set(found.errors)].slice(0, 20).map((text) => `logged: ${text}`);
  const problems = found.problems.slice(0, 50).map((problem) => `PROBLEM ${problem}`);
  return [...rows.map(([name, value]) => `${name.padEnd(width)}${value}`), ...errors, ...problems].join("\n");
}

function medianText(sorted: readonly number[]): string {
  return [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].join(", ");
}
