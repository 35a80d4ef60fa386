/** The packages as npm would serve them: one tarball each, in `tarballs/`. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix, sep } from "node:path";
import { addresses } from "../addresses.mjs";
import { retry, root } from "./console.mjs";
import { withOtherLinks } from "./links.mjs";

export const tarballFolder = join(root, "tarballs");

/** Builds and packs every package that is published. Needs the tools on the PATH. */
export function packPackages(env = process.env) {
  run("turbo", ["run", "build", "--output-logs=errors-only"], root, env);
  rmSync(tarballFolder, { recursive: true, force: true });
  mkdirSync(tarballFolder, { recursive: true });
  for (const { folder, file } of published()) {
    run("pnpm", ["pack", "--pack-destination", tarballFolder], folder, env);
    completeTarball(folder, join(tarballFolder, file), env);
  }
}

/** Changes what is in a tarball to what a reader has who has only the package. */
function completeTarball(folder, tarball, env) {
  const unpacked = mkdtempSync(join(tmpdir(), "millrace-pack-"));
  try {
    run("tar", ["-xzf", tarball], unpacked, env);
    const inside = join(unpacked, "package");
    const path = posix.join("packages", folder.split(/[/\\]/).at(-1));
    writeReadme(join(inside, "README.md"), path);
    if (path === "packages/core") writeDocs(join(inside, "docs"));
    run("tar", ["-czf", tarball, "package"], unpacked, env);
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

/** npm shows the README without the files around it: links to them become addresses, or plain text as long as there are none. */
function writeReadme(readme, path) {
  const text = withOtherLinks(readFileSync(readme, "utf8"), (target) => addressOf(path, target));
  writeFileSync(readme, text);
}

/** The documentation, for coding assistants and `millrace mcp`: without decisions and pictures. Links to other files become plain text. */
function writeDocs(into) {
  const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .map((name) => name.split(sep).join("/"))
    .filter((name) => name.endsWith(".md") && !name.startsWith("decisions/"));
  for (const page of pages) {
    const isThere = (target) => pages.includes(posix.join(posix.dirname(page), target.split("#")[0]));
    const linkOf = (target) => (isThere(target) ? target : addressOf(posix.join("docs", posix.dirname(page)), target));
    mkdirSync(join(into, posix.dirname(page)), { recursive: true });
    writeFileSync(join(into, page), withOtherLinks(readFileSync(join(root, "docs", page), "utf8"), linkOf));
  }
}

function addressOf(folder, target) {
  if (addresses.repository === null) return null;
  return `${addresses.repository}/blob/main/${posix.join(folder, target)}`;
}

/** The tarball of each published package, by its name. */
export function tarballs() {
  return Object.fromEntries(published().map(({ name, file }) => [name, join(tarballFolder, file)]));
}

/** Every package that npm is given, with its folder and the name of its tarball. A package comes after those that it needs. */
export function published() {
  const manifests = readdirSync(join(root, "packages"))
    .map((name) => join(root, "packages", name))
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) }))
    .filter((manifest) => !manifest.private);
  return inOrderOfNeed(manifests).map(({ folder, name, version }) => ({
    folder,
    name,
    version,
    file: `${name.replace("@", "").replace("/", "-")}-${version}.tgz`,
  }));
}

function inOrderOfNeed(manifests) {
  const seen = new Set();
  const ordered = [];
  const add = (manifest) => {
    if (seen.has(manifest)) return;
    seen.add(manifest);
    const needed = { ...manifest.dependencies, ...manifest.peerDependencies };
    for (const one of manifests) if (one.name in needed) add(one);
    ordered.push(manifest);
  };
  for (const manifest of manifests) add(manifest);
  return ordered;
}

/** Up to three times: a registry may hiccup. */
function run(program, args, cwd, env) {
  const options = { cwd, env, stdio: ["ignore", "ignore", "inherit"], shell: process.platform === "win32" };
  retry(`${program} ${args[0]}`, () => spawnSync(program, args, options).status === 0);
}
