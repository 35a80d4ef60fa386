/**
 * A process that imports `millrace` takes at most 1.65 times as long as one that imports nothing, in the same run: milliseconds
 * say more about the machine than about the package. Medians of 25 processes each, which take turns. Quiet and busy machines gave
 * 1.2 to 1.53.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../setup/console.mjs";
import { finish } from "./gate.mjs";

const limit = 1.65;
const processes = 25;
const entry = pathToFileURL(join(root, "packages", "core", "dist", "index.js"));
const folder = mkdtempSync(join(tmpdir(), "millrace-import-"));
const programs = { empty: "export {};\n", millrace: `import ${JSON.stringify(entry)};\n` };

function processMs(name) {
  const atMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [join(folder, `${name}.mjs`)], { encoding: "utf8" });
  if (status !== 0) throw new Error(`A process that imports ${name} ended with ${status}: ${stderr}`);
  return performance.now() - atMs;
}

const timesMs = { empty: [], millrace: [] };
for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, `${name}.mjs`), text);
for (let turn = 0; turn < processes; turn += 1)
  for (const name of Object.keys(programs)) timesMs[name].push(processMs(name));
rmSync(folder, { recursive: true });

const median = (values) => values.sort((a, b) => a - b)[Math.floor(processes / 2)];
const [nothing, own] = [median(timesMs.empty), median(timesMs.millrace)];
const ratio = own / nothing;
finish(
  `import took ${(own - nothing).toFixed(1)} ms over an empty process of ${nothing.toFixed(1)} ms: ${ratio.toFixed(2)} of it, limit ${limit}`,
  ratio > limit ? ["packages/core/dist/index.js: too slow"] : [],
);
