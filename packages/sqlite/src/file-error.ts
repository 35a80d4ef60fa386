import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import type { WorkflowError } from "millrace";
import { readOnly, resultOf, toStoreError } from "./store-error.js";

/** {@link toStoreError}, of a file: SQLite also says that it "cannot open" where it may not write. */
export function toFileError(error: unknown, path: string): WorkflowError {
  const isReadOnly = resultOf(error) === 14 && !isWritable(dirname(path));
  return isReadOnly ? toStoreError(error, path, readOnly) : toStoreError(error, path);
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
