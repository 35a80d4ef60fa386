/**
 * What `npm start`, `npm test`, and `npm run` with `site`, `matrix`, `tarballs` and `release` run first: brings Node 24, pnpm 12 and the
 * packages, then hands over. Runs without a single package installed, and writes nothing
 * outside of this folder but package manager caches.
 *
 *     node scripts/bootstrap.mjs start|check|site|matrix|tarballs|release [argument …]
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root, say } from "./setup/console.mjs";
import { packPackages, tarballs } from "./setup/pack.mjs";
import { installPackages } from "./setup/packages.mjs";
import { toolsOnPath } from "./setup/tools.mjs";

const [command, ...rest] = process.argv.slice(2);
// pnpm keeps the `--` that separates a script's arguments, npm takes it away.
const args = rest[0] === "--" ? rest.slice(1) : rest;

/** Runs with the terminal of this process; ends this process when it fails. */
function run(program, programArgs, env, folder = root) {
  const { status, error, signal } = spawnSync(program, programArgs, {
    cwd: folder,
    env,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (error) say(`could not run ${program}: ${error.message}`);
  if (status !== 0) process.exit(status ?? (signal ? 130 : 1));
}

const commands = {
  start(env) {
    say("building millrace");
    run("turbo", ["run", "build", "--filter=millrace", "--output-logs=errors-only"], env);
    // Not through pnpm, which would tell the program another INIT_CWD: its paths are from where the user stands.
    run("node", ["--import", "tsx", "digest/main.ts", ...args], env, join(root, "examples"));
  },
  check: (env) => run("node", ["scripts/check.mjs", ...args], env),
  site: (env) => run("turbo", ["run", "site", "--output-logs=new-only", "--", ...args], env),
  matrix: (env) => run("node", ["matrix/run.mjs", ...args], env),
  release: (env) => run("node", ["scripts/release.mjs", ...args], env),
  tarballs(env) {
    packPackages(env);
    for (const file of Object.values(tarballs())) console.log(file);
  },
};

if (!Object.hasOwn(commands, command)) {
  say(`unknown command "${command}"; one of: ${Object.keys(commands).join(", ")}`);
  process.exit(2);
}
const env = toolsOnPath();
installPackages(env);
commands[command](env);
