/**
 * Checks the given tsconfig files with the oldest and the newest TypeScript we support.
 *
 *     node scripts/typecheck.mjs tsconfig.json tsconfig.legacy.json
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./setup/console.mjs";

const compilers = [
  { name: "TypeScript 7", script: join(root, "node_modules/typescript-native/bin/tsc") },
  { name: "TypeScript 6", script: join(root, "node_modules/typescript/bin/tsc") },
];

let failed = 0;
for (const project of process.argv.slice(2)) {
  for (const compiler of compilers) {
    const startedAtMs = Date.now();
    const args = [compiler.script, "--project", project, "--noEmit", "--pretty", "false"];
    const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
    const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
    console.log(`${status === 0 ? "ok    " : "FAILED"} ${compiler.name}, ${project} (${seconds} s)`);
    if (status !== 0) failed += 1;
  }
}
process.exit(failed === 0 ? 0 : 1);
