/**
 * The soak by command: `pnpm soak [--kills=50] [--runs=200] [--processes=1] [--durability=process] [--seed=…] [--keep]`.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { soak, tableOf } from "@millrace/conformance/soak";
import { subjectIn } from "./subject.js";

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
const options = { directory, seed, runs, kills, processes, onProgress: print };
const report = await soak(subjectIn(directory, durability), options);
print(tableOf(report, runs));
if (!values.keep && report.problems.length === 0) rmSync(directory, { recursive: true });
process.exitCode = report.problems.length === 0 ? 0 : 1;
