/**
 * Every check of the repository: what `npm test` and `pnpm check` run. Neighbours that take one processor each run two at a time, the
 * others alone. A failure does not end it: the summary names all that failed.
 *
 *     node scripts/check.mjs [word …]     only the sections whose name has one of the words
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { root } from "./setup/console.mjs";
import { failedTests, flakyTests, reportFiles, testTotals } from "./test-totals.mjs";

const turbo = (task, ...flags) => ["turbo", "run", task, "--output-logs=new-only", "--continue", ...flags];
const gate = (name) => ["node", `scripts/gates/${name}.mjs`];

/** As in CI. Else what takes long is left out, see test-share.ts. */
const isLong = ["1", "all"].includes(process.env.LONG_TESTS);

/** Variables for the tests: see `vitest.shared.ts`. */
const built = { BUILT: "1" };

/** A section that takes one processor. */
const small = (name, command) => ({ name, command, isSmall: true });
const whole = (name, command, variables = {}) => ({ name, command, variables, isSmall: false });

const sections = [
  small("unused files and dependencies", ["knip", "--no-progress", "--no-config-hints", "--no-tag-hints"]),
  small("format and lint", ["biome", "ci", "--error-on-warnings", "--max-diagnostics=60", "."]),
  small("gates: imports", ["depcruise", ...globSync("packages/*/src", { cwd: root })]),
  small("gates: reasons", gate("reasons")),
  small("gates: error pages", gate("error-pages")),
  whole(isLong ? "build" : "build: JavaScript", turbo("build")),
  whole(isLong ? "types: TypeScript 6 and 7" : "types: TypeScript 7", ["node", "scripts/typecheck.mjs"]),
  // Several packages at a time: many tests wait for processes, servers and browsers, the long ones less. None measures time.
  whole(
    "tests",
    turbo("test", ...(isLong ? ["--concurrency=2"] : ["--concurrency=3", "--filter=!millrace-site"])),
    built,
  ),
  ...(isLong ? [whole("package: publint, attw, size", turbo("package"))] : []),
  small("gates: bundle", gate("bundle")),
  small("docs: links, numbers and code", gate("docs")),
  ...(isLong
    ? [
        whole("docs: contributing, followed", ["node", "scripts/contributing.mjs"]),
        whole("docs: reference", turbo("api-docs")),
      ]
    : []),
];

const words = process.argv.slice(2);
const wanted = sections.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (wanted.length === 0) throw new Error(`no section has one of the words: ${words.join(" ")}`);
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };
if (!isLong) env.JS_ONLY = "1";
env.PATH = [join(root, "node_modules", ".bin"), env.PATH].join(delimiter);

/** A test in an endless loop has no time-out of its own. */
const sectionLimitMs = (process.env.LONG_TESTS === "all" ? 120 : 38) * 60_000;
const secondsSince = (atMs) => ((Date.now() - atMs) / 1000).toFixed(1);
const startedAtMs = Date.now();

for (const file of reportFiles()) rmSync(file, { force: true });
const results = [];
const work = async (queue) => {
  for (let next = queue.shift(); next; next = queue.shift()) results.push(await run(next));
};
for (let rest = wanted; rest.length > 0; ) {
  const end = rest[0].isSmall ? rest.findIndex(({ isSmall }) => !isSmall) : 1;
  const together = rest.slice(0, end === -1 ? rest.length : end);
  rest = rest.slice(together.length);
  await Promise.all([work(together), work(together)]);
}

/** Prints what a small section says once it is over, and what another says as it comes. */
async function run({ name, command: [program, ...args], variables, isSmall }) {
  const sectionAtMs = Date.now();
  const title = `\n━━ ${name} ${"━".repeat(Math.max(0, 70 - name.length))}`;
  if (!isSmall) console.log(title);
  const stdio = isSmall ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"];
  const child = spawn(program, args, { cwd: root, env: { ...env, ...variables }, stdio, timeout: sectionLimitMs });
  const said = [];
  for (const output of [child.stdout, child.stderr]) output?.on("data", (part) => said.push(part));
  const status = await once(child, "close").then(
    ([code]) => code,
    (error) => void said.push(Buffer.from(`could not run ${program}: ${error.message}`)),
  );
  if (isSmall) console.log(title);
  console.log(Buffer.concat(said).toString());
  return { name, passed: status === 0, seconds: secondsSince(sectionAtMs) };
}

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
