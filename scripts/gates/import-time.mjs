/**
 * A process that imports `millrace` takes at most 1.65 times as long as one that imports nothing, in the same run: milliseconds
 * say more about the machine than about the package. Medians of 25 processes each, which take turns. AMD machines gave 1.2 to 1.53.
 *
 * An Intel one gave 1.7 to 1.9 for the same files, and 3.0 for zod: it starts processes fast and reads modules slowly. There, the
 * import may take six tenths of what that of zod takes: 0.38 to 0.52 were measured.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../setup/console.mjs";
import { finish } from "./gate.mjs";

const limit = 1.65;
const limitOfZod = 0.6;
const processes = 25;
const core = join(root, "packages", "core");
const zodFile = createRequire(join(core, "package.json"))
  .resolve("zod")
  .replace(/\.cjs$/, ".js");
const importOf = (file) => `import ${JSON.stringify(pathToFileURL(file))};\n`;
const folder = mkdtempSync(join(tmpdir(), "millrace-import-"));
const programs = { empty: "export {};\n", zod: importOf(zodFile), millrace: importOf(join(core, "dist", "index.js")) };

function processMs(name) {
  const atMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [join(folder, `${name}.mjs`)], { encoding: "utf8" });
  if (status !== 0) throw new Error(`A process that imports ${name} ended with ${status}: ${stderr}`);
  return performance.now() - atMs;
}

const timesMs = { empty: [], zod: [], millrace: [] };
for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, `${name}.mjs`), text);
for (let turn = 0; turn < processes; turn += 1)
  for (const name of Object.keys(programs)) timesMs[name].push(processMs(name));
rmSync(folder, { recursive: true });

const median = (values) => values.sort((a, b) => a - b)[Math.floor(processes / 2)];
const [nothing, zod, own] = [median(timesMs.empty), median(timesMs.zod), median(timesMs.millrace)];
const ratio = own / nothing;
const ofZod = (own - nothing) / (zod - nothing);
const found = `import took ${(own - nothing).toFixed(1)} ms over an empty process of ${nothing.toFixed(1)} ms`;
finish(
  `${found}: ${ratio.toFixed(2)} of it, limit ${limit}; ${ofZod.toFixed(2)} of the import of zod, limit ${limitOfZod}`,
  ratio > limit && ofZod > limitOfZod ? ["packages/core/dist/index.js: too slow"] : [],
);
