/**
 * Puts the packed packages into matrix/node_modules: the tarballs' files, as a registry would serve
 * them, not the sources of this repository.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { retry } from "../scripts/setup/console.mjs";
import { packPackages, tarballs } from "../scripts/setup/pack.mjs";

const matrix = import.meta.dirname;
const packed = join(matrix, ".packed");
/** By their folders. */
const packages = {
  core: "millrace",
  server: "@millrace/server",
  client: "@millrace/client",
  sqlite: "@millrace/sqlite",
};

export function installMatrix() {
  packPackages();
  rmSync(packed, { recursive: true, force: true });
  for (const [folder, name] of Object.entries(packages)) {
    unpack(tarballs()[name], join(packed, folder));
    withoutOwnRanges(join(packed, folder, "package.json"));
  }

  // When a package has got other dependencies: `pnpm install --no-frozen-lockfile` in this folder, once.
  run("pnpm", ["install", "--frozen-lockfile", "--reporter=append-only"], matrix);
  for (const name of Object.values(packages)) {
    // An install that finds its lockfile unchanged keeps the files of the last one.
    const installed = realpathSync(join(matrix, "node_modules", name));
    for (const entry of readdirSync(installed)) rmSync(join(installed, entry), { recursive: true });
    unpack(tarballs()[name], installed);
  }
}

/** Ranges of each other are in the lockfile: with their numbers, every new version would ask for a new lockfile. */
function withoutOwnRanges(file) {
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  for (const name of Object.keys(manifest.peerDependencies ?? {}))
    if (/^(@millrace\/|millrace$)/.test(name)) manifest.peerDependencies[name] = "*";
  writeFileSync(file, JSON.stringify(manifest));
}

function unpack(tarball, target) {
  mkdirSync(target, { recursive: true });
  run("tar", ["-xzf", tarball, "--strip-components=1"], target);
}

/** Up to three times: a registry may hiccup. */
function run(program, args, cwd) {
  const options = { cwd, stdio: ["ignore", "inherit", "inherit"], shell: process.platform === "win32" };
  retry(`${program} ${args[0]}`, () => spawnSync(program, args, options).status === 0);
}
