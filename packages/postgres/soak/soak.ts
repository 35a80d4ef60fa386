/**
 * The soak by command: `pnpm soak [--runs=300] [--kills=60] [--processes=3] [--restarts=2] [--seed=…] [--keep]`.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { soak, tableOf } from "@millrace/conformance/soak";
import { Server } from "../test/support/server.js";
import { subjectOn } from "./subject.js";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "300" },
    kills: { type: "string", default: "60" },
    processes: { type: "string", default: "3" },
    restarts: { type: "string", default: "2" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    keep: { type: "boolean", default: false },
  },
});

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const directory = mkdtempSync(join(tmpdir(), "millrace-soak-"));
const counts = {
  runs: Number(values.runs),
  kills: Number(values.kills),
  processes: Number(values.processes),
  seed: Number(values.seed),
};
const { runs, kills, processes, seed } = counts;
const given = process.env["DATABASE_URL"];
const server = given === undefined ? await Server.start() : null;
const restarts = server === null ? 0 : Number(values.restarts);
const schema = `soak_${seed}_${Date.now().toString(36)}`;
const url = given ?? (server as Server).url;
print(
  `seed ${seed}: ${runs} runs, ${kills} kills, ${processes} at a time, ${restarts} restarts, notes in ${directory}`,
);

const others = Math.floor(runs / 3);
const options = { directory, ...counts, others, restarts, onProgress: print };
const report = await soak(subjectOn(url, schema, server), options);
print(tableOf(report, runs));
const isKept = values.keep || report.problems.length > 0;
if (!isKept) rmSync(directory, { recursive: true });
await server?.stop();
process.exitCode = report.problems.length === 0 ? 0 : 1;
