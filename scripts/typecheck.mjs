/**
 * Checks the given tsconfig files with the oldest and the newest TypeScript we support.
 *
 * The oldest is six times as slow. Where a package has a file for what it ships, the oldest checks only that one and the types that
 * users write; with `LONG_TESTS=1`, as in CI, it checks tests and benchmarks too.
 *
 *     node scripts/typecheck.mjs tsconfig.json tsconfig.legacy.json
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./setup/console.mjs";

const compilers = [
  { name: "TypeScript 7", script: join(root, "node_modules/typescript-native/bin/tsc"), isOldest: false },
  { name: "TypeScript 6", script: join(root, "node_modules/typescript/bin/tsc"), isOldest: true },
];
const projects = process.argv.slice(2);
const isForUsers = (project) => !["tsconfig.json", "bench/tsconfig.json"].includes(project) || projects.length === 1;
const isWhole = process.env.LONG_TESTS === "1";

let failed = 0;
for (const project of projects) {
  for (const compiler of compilers) {
    if (compiler.isOldest && !isWhole && !isForUsers(project)) continue;
    const startedAtMs = Date.now();
    const args = [compiler.script, "--project", project, "--noEmit", "--pretty", "false"];
    const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
    const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
    console.log(`${status === 0 ? "ok    " : "FAILED"} ${compiler.name}, ${project} (${seconds} s)`);
    if (status !== 0) failed += 1;
  }
}
process.exit(failed === 0 ? 0 : 1);
