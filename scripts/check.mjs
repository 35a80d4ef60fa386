/**
 * Every check of the repository, one after the other: what `npm test` and `pnpm check` run.
 * A failure does not end it: the summary names all that failed.
 *
 *     node scripts/check.mjs [word …]     only the sections whose name has one of the words
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { rerunFailed } from "./rerun-failed.mjs";
import { root } from "./setup/console.mjs";
import { failedTests, flakyTests, reportFiles, testTotals } from "./test-totals.mjs";

const turbo = (task, ...flags) => ["turbo", "run", task, "--output-logs=new-only", "--continue", ...flags];
const gate = (name) => ["node", `scripts/gates/${name}.mjs`];

/** As in CI: all of it. Else what takes long is left out, see test-share.ts. */
const isLong = process.env.LONG_TESTS === "1";

const sections = [
  ["format and lint", ["biome", "ci", "--error-on-warnings", "--max-diagnostics=60", "."]],
  ["gates: sizes", gate("sizes")],
  ["gates: boundaries", gate("boundaries")],
  ["gates: circles", gate("circles")],
  ["gates: reasons", gate("reasons")],
  ["gates: error pages", gate("error-pages")],
  ["unused files and dependencies", ["knip", "--no-progress", "--no-config-hints", "--no-tag-hints"]],
  ["build", turbo("build")],
  [isLong ? "types: TypeScript 6 and 7" : "types: TypeScript 7", turbo("typecheck", "--concurrency=2")],
  // Two packages at a time: many tests wait for processes, servers and browsers. None measures time.
  ["tests", turbo("test", "--concurrency=2", "--summarize", ...(isLong ? [] : ["--filter=!millrace-site"]))],
  ...(isLong ? [["package: publint, attw, size", turbo("package")]] : []),
  ["gates: bundle", gate("bundle")],
  ["gates: import time", gate("import-time")],
  ["docs: links and code", gate("docs")],
  ["docs: capacity page", ["node", "scripts/scale.mjs"]],
  ...(isLong ? [["docs: reference", turbo("api-docs")]] : []),
];

const words = process.argv.slice(2);
const wanted = sections.filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)));
if (wanted.length === 0) throw new Error(`no section has one of the words: ${words.join(" ")}`);
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };
env.PATH = [join(root, "node_modules", ".bin"), env.PATH].join(delimiter);

/** A test in an endless loop has no time-out of its own. */
const sectionLimitMs = 30 * 60_000;
const secondsSince = (atMs) => ((Date.now() - atMs) / 1000).toFixed(1);
const startedAtMs = Date.now();

for (const file of reportFiles()) rmSync(file, { force: true });
const results = wanted.map(([name, [program, ...args]]) => {
  console.log(`\n━━ ${name} ${"━".repeat(Math.max(0, 70 - name.length))}`);
  const sectionAtMs = Date.now();
  const options = { cwd: root, env, stdio: ["ignore", "inherit", "inherit"], timeout: sectionLimitMs };
  const { status, error } = spawnSync(program, args, options);
  if (error) console.log(`could not run ${program}: ${error.message}`);
  // It has no status where its time was up.
  const passed = status === 0 || (name === "tests" && status !== null && rerunFailed(env));
  return { name, passed, seconds: secondsSince(sectionAtMs) };
});

console.log(`\n━━ summary ${"━".repeat(63)}`);
for (const { name, passed, seconds } of results) {
  console.log(`${passed ? "ok    " : "FAILED"}  ${name.padEnd(32)} ${seconds.padStart(6)} s`);
}
const failed = results.filter((result) => !result.passed);
console.log(
  `\n${results.length - failed.length} of ${results.length} sections passed in ${secondsSince(startedAtMs)} s`,
);
if (results.some(({ name }) => name === "tests")) {
  console.log(`tests: ${testTotals().line}`);
  if (!isLong) console.log("LONG_TESTS=1 runs the rest, as CI does: *.long.test.ts, TypeScript 6, packages, the site");
  for (const line of [...flakyTests(), ...failedTests().slice(0, 10)]) console.log(line);
}
process.exit(failed.length === 0 ? 0 : 1);
