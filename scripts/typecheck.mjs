/**
 * Checks the given tsconfig files with the newest TypeScript we support, and with `LONG_TESTS=1`, as in CI, with the oldest as well, which
 * is six times as slow. Benches are for CI, too. The file for what a package ships holds sources that the first file holds too, under stricter rules
 * for their declarations: the newest alone checks it, and with the sources of the other packages, as the first file does.
 *
 *     node scripts/typecheck.mjs tsconfig.json tsconfig.legacy.json
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./setup/console.mjs";

const script = (name) => join(root, "node_modules", name, "bin/tsc");
// One thread: turbo checks a package on each processor, and several threads of one check repeat each other's work.
const newest = { name: "TypeScript 7", script: script("typescript-native"), flags: ["--singleThreaded"] };
const oldest = { name: "TypeScript 6", script: script("typescript"), flags: [] };
const bySource = ["--customConditions", "@millrace/source", "--rootDir", "../.."];
const isLong = process.env.LONG_TESTS === "1";

function compilersOf(project) {
  if (project === "tsconfig.build.json") return [newest];
  if (isLong) return [newest, oldest];
  return project.startsWith("bench/") ? [] : [newest];
}

let failed = 0;
for (const project of process.argv.slice(2)) {
  for (const compiler of compilersOf(project)) {
    const startedAtMs = Date.now();
    const flags = [...compiler.flags, ...(project === "tsconfig.build.json" ? bySource : [])];
    const args = [compiler.script, ...flags, "--project", project, "--noEmit", "--pretty", "false"];
    const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
    const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
    console.log(`${status === 0 ? "ok    " : "FAILED"} ${compiler.name}, ${project} (${seconds} s)`);
    if (status !== 0) failed += 1;
  }
}
process.exit(failed === 0 ? 0 : 1);
