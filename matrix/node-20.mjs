/**
 * The oldest Node that is supported, for the rows that run in it. In a folder of its own: a `node` in `node_modules/.bin` would
 * be the one that every tool of the matrix runs in.
 */
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";

const version = "20.20.2";
const folder = join(import.meta.dirname, ".node-20");
const program = process.platform === "win32" ? "node.exe" : "node";

/** The machine's own where there is one, else it is fetched, once. */
export function node20() {
  const found = find();
  if (found !== undefined) return found;
  fetchIt();
  return find() ?? missing();
}

function find() {
  const machine = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin"];
  const folders = [...machine, join(folder, "node_modules", "node", "bin")];
  return folders.map((path) => join(path, program)).find((path) => majorOf(path) === 20);
}

function majorOf(path) {
  const { status, stdout } = spawnSync(path, ["--version"], { encoding: "utf8", timeout: 30_000 });
  return status === 0 ? Number.parseInt(stdout.trim().slice(1), 10) : 0;
}

function fetchIt() {
  const flags = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts=false"];
  const args = ["install", "--prefix", folder, "--loglevel=error", ...flags, `node@${version}`];
  spawnSync("npm", args, { stdio: ["ignore", "inherit", "inherit"], shell: process.platform === "win32" });
}

function missing() {
  throw new Error(`error: Node 20 is not on the PATH, and node@${version} could not be fetched`);
}
