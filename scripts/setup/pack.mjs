/** The packages as npm would serve them: one tarball each, in `tarballs/`. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { retry, root } from "./console.mjs";

export const tarballFolder = join(root, "tarballs");

/** Builds and packs every package that is published. Needs the tools on the PATH. */
export function packPackages(env = process.env) {
  run("turbo", ["run", "build", "--output-logs=errors-only"], root, env);
  rmSync(tarballFolder, { recursive: true, force: true });
  mkdirSync(tarballFolder, { recursive: true });
  for (const { folder } of published()) run("pnpm", ["pack", "--pack-destination", tarballFolder], folder, env);
}

/** The tarball of each published package, by its name. */
export function tarballs() {
  return Object.fromEntries(published().map(({ name, file }) => [name, join(tarballFolder, file)]));
}

function published() {
  return readdirSync(join(root, "packages"))
    .map((name) => join(root, "packages", name))
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) }))
    .filter((manifest) => !manifest.private)
    .map(({ folder, name, version }) => ({
      folder,
      name,
      file: `${name.replace("@", "").replace("/", "-")}-${version}.tgz`,
    }));
}

/** Up to three times: a registry may hiccup. */
function run(program, args, cwd, env) {
  const options = { cwd, env, stdio: ["ignore", "ignore", "inherit"], shell: process.platform === "win32" };
  retry(`${program} ${args[0]}`, () => spawnSync(program, args, options).status === 0);
}
