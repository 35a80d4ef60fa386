/**
 * `import "millrace"` takes at most 0.6 of the time that `import "zod"` takes, in the same run: milliseconds say more about the
 * machine than about the package. Each measurement is a process of its own, because the second import of a process costs nothing;
 * the two take turns.
 */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../setup/console.mjs";
import { finish } from "./gate.mjs";

const limit = 0.6;
const samples = 15;
const core = join(root, "packages", "core");
const entries = {
  millrace: join(core, "dist", "index.js"),
  zod: createRequire(join(core, "package.json"))
    .resolve("zod")
    .replace(/\.cjs$/, ".js"),
};

function importMs(file) {
  const url = JSON.stringify(pathToFileURL(file).href);
  const program = `const atMs = performance.now(); await import(${url}); console.log(performance.now() - atMs);`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }));
}

const timesMs = { millrace: [], zod: [] };
for (let sample = 0; sample < samples; sample += 1)
  for (const [name, file] of Object.entries(entries)) timesMs[name].push(importMs(file));
const median = (values) => values.sort((a, b) => a - b)[Math.floor(samples / 2)];
const [own, zod] = [median(timesMs.millrace), median(timesMs.zod)];
const ratio = own / zod;
finish(
  `import took ${own.toFixed(1)} ms, that of zod ${zod.toFixed(1)} ms: ${ratio.toFixed(2)} of it, limit ${limit}`,
  ratio > limit ? ["dist/index.js: too slow"] : [],
);
