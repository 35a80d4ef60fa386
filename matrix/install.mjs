/**
 * Puts the packed `millrace` into matrix/node_modules: the tarball's files, as a registry would
 * serve them, not the sources of this repository.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";

const matrix = import.meta.dirname;
const root = join(matrix, "..");
const packed = join(matrix, ".packed");

export function installMatrix() {
  run("turbo", ["run", "build", "--filter=millrace", "--output-logs=errors-only"], root);
  rmSync(packed, { recursive: true, force: true });
  mkdirSync(packed);
  run("pnpm", ["pack", "--pack-destination", packed], join(root, "packages", "core"));
  const tarball = readdirSync(packed).find((name) => name.endsWith(".tgz"));
  run("tar", ["-xzf", tarball, "--strip-components=1"], packed);
  rmSync(join(packed, tarball));

  // When the package has got other dependencies: `pnpm install --no-frozen-lockfile` in this folder, once.
  run("pnpm", ["install", "--frozen-lockfile", "--reporter=append-only"], matrix);
  // An install that finds its lockfile unchanged keeps the files of the last one.
  const installed = realpathSync(join(matrix, "node_modules", "millrace"));
  for (const name of readdirSync(installed)) rmSync(join(installed, name), { recursive: true });
  cpSync(packed, installed, { recursive: true });
}

/** Up to three times: a registry may hiccup. */
function run(program, args, cwd) {
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const stdio = ["ignore", "inherit", "inherit"];
    const { status } = spawnSync(program, args, { cwd, stdio, shell: process.platform === "win32" });
    if (status === 0) return;
  }
  throw new Error(`${program} ${args.join(" ")} failed three times`);
}
