/**
 * Other versions of Node than the one that this runs in. In folders of their own: a `node` in `node_modules/.bin` would be the one that
 * every tool of the matrix runs in.
 */
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";

/** The oldest that the packages support, the newest of that line, and the one that this repository uses. */
const versions = { 22.13: "22.13.1", 22: "22.23.3", 24: "24.21.0" };
const program = process.platform === "win32" ? "node.exe" : "node";

export const oldestNode = () => join(nodeFolder(22.13), program);

/** A folder with a `node` of that version or line: the machine's own where there is one, else it is fetched, once. */
export function nodeFolder(line) {
  const found = find(line);
  if (found !== undefined) return found;
  fetchIt(line);
  return find(line) ?? missing(line);
}

const ownFolder = (line) => join(import.meta.dirname, `.node-${line}`);

function find(line) {
  const machine = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin"];
  const folders = [...machine, join(ownFolder(line), "node_modules", "node", "bin")];
  return folders.find((path) => versionOf(join(path, program)).startsWith(`v${line}.`));
}

function versionOf(path) {
  const { status, stdout } = spawnSync(path, ["--version"], { encoding: "utf8", timeout: 30_000 });
  return status === 0 ? stdout.trim() : "";
}

function fetchIt(line) {
  const flags = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts=false"];
  const args = ["install", "--prefix", ownFolder(line), "--loglevel=error", ...flags, `node@${versions[line]}`];
  spawnSync("npm", args, { stdio: ["ignore", "inherit", "inherit"], shell: process.platform === "win32" });
}

function missing(line) {
  throw new Error(`error: Node ${line} is not on the PATH, and node@${versions[line]} could not be fetched`);
}
