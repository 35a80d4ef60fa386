/**
 * Checks types. Without arguments those of the whole repository, each source once: see `types/*.json`. With `LONG_TESTS=1`, as in CI, the type
 * tests of what users call are checked with the oldest TypeScript we support, too; it also makes the declarations, in each build.
 *
 *     node scripts/typecheck.mjs
 *     node ../../scripts/typecheck.mjs tsconfig.json     one package, from its folder
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { relative } from "node:path";
import { root } from "./setup/console.mjs";

const tsc = (name) => `${root}/node_modules/${name}/bin/tsc`;
// One thread: several threads of one check repeat each other's work. Not `--incremental`: it checks files in another order, and then finds
// that the return type of `runChild` refers to itself.
const newest = { name: "TypeScript 7", args: [tsc("typescript-native"), "--singleThreaded"] };
const oldest = { name: "TypeScript 6", args: [tsc("typescript")] };

const types = `${root}/scripts/types`;
const legacy = `${root}/packages/core/tsconfig.legacy.json`;
/** The longest first: two are checked at a time. */
const repository = [
  [newest, `${types}/node.json`],
  [newest, `${types}/dom.json`],
  [newest, `${types}/declarations.json`],
  [newest, legacy],
];
const publicTypes = [
  [oldest, `${types}/public.json`],
  [oldest, legacy],
];

/** The sources of the other packages, also where a build reads their declarations. */
const bySource = ["--customConditions", "@millrace/source", "--rootDir", "../.."];

/** Types that are read off the tables of shapes, by design: no declaration repeats them. */
const byShape = /-shape\.ts\(\d+,\d+\): error TS90\d\d: /;

async function check(compiler, project) {
  const startedAtMs = Date.now();
  const flags = ["--noEmit", "--pretty", "false", ...(project === "tsconfig.build.json" ? bySource : [])];
  const args = [...compiler.args, "--project", project, ...flags];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = [];
  child.stdout.setEncoding("utf8").on("data", (text) => lines.push(text));
  const [code] = await once(child, "close");
  const problems = lines
    .join("")
    .split("\n")
    .filter((line) => line !== "");
  const shown = problems.filter((line) => !byShape.test(line));
  if (shown.length > 0) console.log(shown.join("\n"));
  const status = code !== 0 && shown.length === 0 && problems.length > 0 ? 0 : code;
  const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
  console.log(
    `${status === 0 ? "ok    " : "FAILED"} ${compiler.name}, ${relative(process.cwd(), project)} (${seconds} s)`,
  );
  if (status !== 0) process.exitCode = 1;
}

const named = process.argv.slice(2).map((project) => [newest, project]);
const long = ["1", "all"].includes(process.env.LONG_TESTS) ? publicTypes : [];
const queue = named.length > 0 ? named : [...long, ...repository];
const work = async () => {
  for (let next = queue.shift(); next; next = queue.shift()) await check(...next);
};
await Promise.all([work(), work()]);
