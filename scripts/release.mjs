/**
 * Publishes what is in `packages/`: the tarballs that were tried, and no others. Versions and changelogs come before it, from
 * `changeset version`, in a commit.
 *
 *     npm run release -- --dry-run     packs, installs and tries every package, and publishes nothing
 *     npm run release                  the same, then publishes those that npm does not have yet, and tags the commit
 *     npm run release -- --canary      the same with versions such as 0.1.0-canary.g1a2b3c4, under the dist-tag `canary`, without a tag
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { root, say } from "./setup/console.mjs";
import { published, tarballs } from "./setup/pack.mjs";

const isDry = process.argv.includes("--dry-run");
const isCanary = process.argv.includes("--canary");

function run(program, args) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) throw new TypeError(`${program} ${args.join(" ")} failed: nothing more is published`);
}

const isThere = ({ name, version }) =>
  spawnSync("npm", ["view", `${name}@${version}`, "version"], { encoding: "utf8" }).stdout.trim() === version;

/** `1.2.0-next.3` is what `npm install millrace@next` gives; without a tag, npm refuses such a version. */
const tagOf = ({ version }) => /-([a-z]+)/.exec(version)?.[1] ?? "latest";

/** Gives every package the version of this commit. Returns the files that it has changed. */
function nameCanary() {
  const commit = spawnSync("git", ["rev-parse", "--short=7", "HEAD"], { cwd: root, encoding: "utf8" }).stdout.trim();
  const ofServer = join(root, "packages", "server", "src", "version.ts");
  const files = [...published().map(({ folder }) => join(folder, "package.json")), ofServer];
  const [{ version }] = published();
  const canary = `${version}-canary.g${commit}`; // a letter first: of digits alone, semver wants no zero in front
  for (const file of files) writeFileSync(file, readFileSync(file, "utf8").replace(`"${version}"`, `"${canary}"`));
  return files;
}

function publish() {
  run("node", ["matrix/run.mjs", "release"]);
  for (const one of published()) {
    const file = tarballs()[one.name];
    if (isDry) say(`would publish ${one.name} ${one.version} as ${tagOf(one)}: ${basename(file)}`);
    else if (!isThere(one)) run("npm", ["publish", file, "--access", "public", "--tag", tagOf(one)]);
  }
  if (!isDry && !isCanary) run("changeset", ["git-tag"]);
}

let renamed = [];
try {
  if (!isDry || isCanary) run("git", ["diff", "--exit-code", "--stat", "HEAD"]);
  if (isCanary) renamed = nameCanary();
  publish();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
} finally {
  if (renamed.length > 0) run("git", ["checkout", "--", ...renamed]);
}
