/** Loads every entry of every installed package, as a module and by `require`, as far as its `engines` allow. */
import { createRequire } from "node:module";
import { packages, published } from "./packages.mjs";

const require = createRequire(import.meta.url);
const [major, minor] = process.versions.node.split(".").map(Number);
let loaded = 0;

for (const { name, manifest } of packages) {
  const [, neededMajor, neededMinor = 0] = /^>=(\d+)(?:\.(\d+))?$/.exec(manifest.engines.node).map(Number);
  if (major < neededMajor || (major === neededMajor && minor < neededMinor)) continue;
  for (const entry of published(name, manifest)) {
    // A module whose import has failed cannot be required either, and says so in other words.
    if (await load(manifest, () => import(entry))) await load(manifest, () => require(entry));
  }
}
console.log(`${major}: ${loaded} entries`);

/** Returns `false` where a package is missing that the user may leave out. */
async function load({ name, peerDependenciesMeta = {} }, attempt) {
  try {
    await attempt();
    loaded += 1;
    return true;
  } catch (error) {
    const left = Object.keys(peerDependenciesMeta).find((peer) => String(error.message).includes(`'${peer}`));
    const isMissing = error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
    if (!isMissing || left === undefined) throw new Error(`${name}: ${error.message}`, { cause: error });
    return false;
  }
}
