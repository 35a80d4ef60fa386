/**
 * Database files of the benchmark, on the disk that holds the repository: a directory for temporary files may be in memory,
 * where `synchronous = FULL` costs nothing.
 */
import { closeSync, copyFileSync, fdatasyncSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Driver, median } from "./measure.ts";

/** Not kept. */
export const directory: string = join(import.meta.dirname, ".data");

/** What both drivers have, as far as the bare baselines need it. */
export interface BareDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): { run(...values: (string | number | null)[]): { lastInsertRowid: number | bigint } };
  close(): unknown;
}

export type Durability = "process" | "power";
export const durabilities = [
  { durability: "process", synchronous: "NORMAL" },
  { durability: "power", synchronous: "FULL" },
] as const;

let files = 0;

/** Gives `work` a path that nobody has, and removes what is there afterwards. `of`: a copy of that file. */
export async function withFile<Result>(work: (path: string) => Promise<Result>, of?: string): Promise<Result> {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `${process.pid}-${files++}.db`);
  if (of !== undefined) copyFileSync(of, path);
  try {
    return await work(path);
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  }
}

/** With the settings of the store. */
export function openBare(driver: Driver, path: string, synchronous: "NORMAL" | "FULL"): BareDatabase {
  const require = createRequire(import.meta.url);
  const database: BareDatabase =
    driver === "node:sqlite" ? new DatabaseSync(path) : new (require("better-sqlite3") as typeof DatabaseSync)(path);
  database.exec(`PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
  return database;
}

/** How long the disk takes to keep 8 kB, in milliseconds, and what kind of file system it is. */
export function disk(): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, "sync");
  const file = openSync(path, "w");
  const times = Array.from({ length: 500 }, (_, index) => {
    writeSync(file, Buffer.alloc(8192), 0, 8192, 8192 * (index % 100));
    const startMs = performance.now();
    fdatasyncSync(file);
    return performance.now() - startMs;
  });
  closeSync(file);
  rmSync(path);
  const kind = fileSystems.get(statfsSync(directory).type) ?? "a disk";
  const late = times.toSorted((left, right) => left - right)[475] ?? Number.NaN;
  return `${kind} where fdatasync takes ${median(times).toFixed(2)} ms (95 %: ${late.toFixed(2)} ms)`;
}

const fileSystems: ReadonlyMap<number, string> = new Map([
  [0xef53, "ext4"],
  [0x01021994, "tmpfs (in memory: the numbers of FULL say nothing)"],
  [0x58465342, "XFS"],
  [0x9123683e, "Btrfs"],
  [0x794c7630, "overlayfs"],
]);
