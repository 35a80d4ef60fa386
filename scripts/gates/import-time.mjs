/**
 * `import "millrace"` takes at most 15 ms. Each measurement is a process of its own, because the
 * second import of a process costs nothing. The fastest counts: noise only ever adds. A busy machine
 * adds to every one of them, so it fails a third above the limit, and says so above the limit.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../setup/console.mjs";
import { finish } from "./gate.mjs";

const limitMs = 15;
const failsAtMs = limitMs * (4 / 3);
const samples = 25;
const entry = pathToFileURL(join(root, "packages", "core", "dist", "index.js")).href;
const program = `const atMs = performance.now(); await import(${JSON.stringify(entry)}); console.log(performance.now() - atMs);`;

const timesMs = Array.from({ length: samples }, () =>
  Number(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" })),
).sort((a, b) => a - b);
const [fastest, median] = [timesMs[0], timesMs[Math.floor(samples / 2)]];
const measured = `import took ${fastest.toFixed(1)} ms (median ${median.toFixed(1)} ms, limit ${limitMs} ms)`;
if (fastest > limitMs) console.log("above the limit: measure again on a quiet machine");
finish(measured, fastest > failsAtMs ? [`dist/index.js: too slow`] : []);
