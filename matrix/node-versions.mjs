/**
 * Other versions of Node than the one that this runs in. In folders of their own: a `node` in `node_modules/.bin` would be the one that
 * every tool of the matrix runs in.
 */
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";

/** The oldest that the packages support, the oldest long-term release, and the one that this repository uses. */
const versions = { 20: "20.20.2", 22: "22.23.3", 24: "24.21.0" };
const program = process.platform === "win32" ? "node.exe" : "node";

export const node20 = () => join(nodeFolder(20), program);

/** A folder with a `node` of that major version: the machine's own where there is one, else it is fetched, once. */
export function nodeFolder(major) {
  const found = find(major);
  if (found !== undefined) return found;
  fetchIt(major);
  return find(major) ?? missing(major);
}

const ownFolder = (major) => join(import.meta.dirname, `.node-${major}`);

function find(major) {
  const machine = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin"];
  const folders = [...machine, join(ownFolder(major), "node_modules", "node", "bin")];
  return folders.find((path) => majorOf(join(path, program)) === major);
}

function majorOf(path) {
  const { status, stdout } = spawnSync(path, ["--version"], { encoding: "utf8", timeout: 30_000 });
  return status === 0 ? Number.parseInt(stdout.trim().slice(1), 10) : 0;
}

function fetchIt(major) {
  const flags = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts=false"];
  const args = ["install", "--prefix", ownFolder(major), "--loglevel=error", ...flags, `node@${versions[major]}`];
  spawnSync("npm", args, { stdio: ["ignore", "inherit", "inherit"], shell: process.platform === "win32" });
}

function missing(major) {
  throw new Error(`error: Node ${major} is not on the PATH, and node@${versions[major]} could not be fetched`);
}
