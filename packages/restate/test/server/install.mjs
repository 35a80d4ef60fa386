/**
 * Brings Restate's server for the tests: 225 MB under a Business Source License, so it comes with no other install.
 *
 *     pnpm --filter @millrace/restate run server
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, "..", "..", "..", "..", ".tools", "restate");
const platform = `${process.platform}-${process.arch}`;

/** The program, fetched where it is missing. */
export function restateServer() {
  const program = join(folder, `node_modules/@restatedev/restate-server-${platform}/bin/restate-server`);
  if (!existsSync(program) || !isSameLock()) fetchServer();
  if (!existsSync(program)) throw new Error(`Restate has no server for ${platform}`);
  return program;
}

function isSameLock() {
  const [wanted, installed] = [here, folder].map((path) => join(path, "package-lock.json"));
  return existsSync(installed) && readFileSync(wanted, "utf8") === readFileSync(installed, "utf8");
}

/** Its contents are compared with the hashes in the lock; no script of a package is run. */
function fetchServer() {
  console.log(
    "fetching Restate's server into .tools/restate (225 MB, once; only the tests of @millrace/restate need it)",
  );
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(here, file), join(folder, file));
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--progress=true"];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) throw new Error("Restate's server could not be fetched");
  console.log("Restate's server is installed");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(restateServer());
