/** Node 24 and pnpm 12: the machine's own where they are new enough, else from `.tools`. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { retry, root, say } from "./console.mjs";

/** From `.tool-versions`, which version managers read, too. */
const wanted = readFileSync(join(root, ".tool-versions"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" "))
  .map(([name, version]) => ({
    name: name.replace("nodejs", "node"),
    version,
    leastMajor: Number.parseInt(version, 10),
  }));
const toolsFolder = join(root, ".tools");
const toolsBin = join(toolsFolder, "node_modules", ".bin");
const onWindows = process.platform === "win32";

/** The environment with the tools, and the repository's own programs, on the PATH. */
export function toolsOnPath() {
  const base = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };
  // A corepack shim for pnpm would ask before it downloads one.
  base.COREPACK_ENABLE_DOWNLOAD_PROMPT = "0";
  const programs = join(root, "node_modules", ".bin");
  const machine = withPath(base, [programs]);
  const own = withPath(base, [toolsBin, programs]);
  const missing = wanted.filter((tool) => majorOf(tool.name, machine) < tool.leastMajor);
  if (missing.length === 0) return machine;
  const absent = missing.filter((tool) => versionOf(tool.name, own) !== tool.version);
  if (absent.length > 0) bring(missing);
  return own;
}

/** All missing ones in one call: npm removes from the folder what a call does not name. */
function bring(tools) {
  const names = tools.map((tool) => `${tool.name}@${tool.version}`);
  say(`fetching ${names.join(" and ")} into .tools (once; nothing outside of this folder changes)`);
  const flags = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts=false"];
  const npmArgs = ["install", "--prefix", toolsFolder, "--loglevel=error", ...flags, ...names];
  retry("fetching the tools", () => {
    spawnSync("npm", npmArgs, { cwd: root, stdio: ["ignore", "inherit", "inherit"], shell: onWindows });
    const env = withPath(process.env, [toolsBin]);
    return tools.every((tool) => versionOf(tool.name, env) === tool.version);
  });
}

/** "" when it is missing, broken, or does not answer. */
function versionOf(program, env) {
  const options = { cwd: root, env, encoding: "utf8", shell: onWindows, timeout: 30_000 };
  const { status, stdout } = spawnSync(program, ["--version"], options);
  return status === 0 ? stdout.trim().replace(/^v/, "") : "";
}

function majorOf(program, env) {
  return Number.parseInt(versionOf(program, env), 10) || 0;
}

function withPath(env, folders) {
  const key = Object.keys(env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  return { ...env, [key]: [...folders, env[key]].join(delimiter) };
}
