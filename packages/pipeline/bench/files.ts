/** Database files of the benchmark, on the disk that holds the repository. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Not kept. */
export const directory: string = join(import.meta.dirname, ".data");

let files = 0;

/** Gives `work` a path that nobody has, and removes what is there afterwards. */
export async function withFile<Result>(work: (path: string) => Promise<Result>): Promise<Result> {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `${process.pid}-${files++}.db`);
  try {
    return await work(path);
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  }
}
