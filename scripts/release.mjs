/**
 * Publishes what is in `packages/`: the tarballs that were tried, and no others. Versions and changelogs come before it, from
 * `changeset version`, in a commit.
 *
 *     npm run release -- --dry-run     packs, installs and tries every package, and publishes nothing
 *     npm run release                  the same, then publishes those that npm does not have yet, and tags the commit
 */
import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import { root, say } from "./setup/console.mjs";
import { published, tarballs } from "./setup/pack.mjs";

const isDry = process.argv.includes("--dry-run");

function run(program, args) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (status === 0) return;
  say(`${program} ${args.join(" ")} failed: nothing more is published`);
  process.exit(status ?? 1);
}

const isThere = ({ name, version }) =>
  spawnSync("npm", ["view", `${name}@${version}`, "version"], { encoding: "utf8" }).stdout.trim() === version;

/** `1.2.0-next.3` is what `npm install millrace@next` gives; without a tag, npm refuses such a version. */
const tagOf = ({ version }) => /-([a-z]+)/.exec(version)?.[1] ?? "latest";

if (!isDry) run("git", ["diff", "--exit-code", "--stat", "HEAD"]);
run("node", ["matrix/run.mjs", "release"]);
for (const one of published()) {
  const file = tarballs()[one.name];
  if (isDry) say(`would publish ${one.name} ${one.version}: ${basename(file)}`);
  else if (!isThere(one)) run("npm", ["publish", file, "--access", "public", "--tag", tagOf(one)]);
}
if (!isDry) run("changeset", ["git-tag"]);
