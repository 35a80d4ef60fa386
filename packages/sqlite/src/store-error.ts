/**
 * Converts errors of SQLite to errors of Millrace.
 *
 * `node:sqlite` has the result code as a number in `errcode`, `better-sqlite3` its name in `code`. Both may be extended
 * codes, such as `SQLITE_IOERR_WRITE` (778), whose low eight bits are the primary code.
 *
 * @see https://www.sqlite.org/rescode.html
 * @module
 */
import { WorkflowError, type WorkflowErrorOptions } from "millrace";

/** Code, message and hint for one result code. */
export type Plain = Pick<WorkflowErrorOptions, "code" | "message" | "hint">;

const busy: Plain = {
  code: "STORE_BUSY",
  message: "another process kept the file locked for longer than `busyTimeoutMs`.",
  hint: "Raise `busyTimeoutMs`, and look for a program that keeps a write transaction open.",
};
export const readOnly: Plain = {
  code: "STORE_READ_ONLY",
  message: "the file or its directory cannot be written to.",
  hint: "Allow this process to write to the file and to its directory.",
};
const corrupt: Plain = {
  code: "STORE_CORRUPT",
  message: "the file is damaged, or no SQLite database.",
  hint: "Put back a copy that was made with `VACUUM INTO` or `sqlite3 FILE .backup`.",
};
/** A version of the tables that Millrace has never written. */
export const damagedVersion = (version: number): Plain => ({
  ...corrupt,
  message: `its \`user_version\` is ${version}: another program has changed the file, or it is damaged.`,
});
/** The open file was deleted or replaced: what is written to it is lost when it is closed. */
export const gone: Plain = {
  code: "STORE_FAILED",
  message: "the file was deleted, moved or replaced while it was open. Nothing of this write was stored.",
  hint: "Stop the process, put the file back, and start again. Replace a file only while no process has it open.",
};
const full: Plain = {
  code: "STORE_FULL",
  message: "there is no room left for the file. Nothing of this write was stored.",
  hint: "Make room on the disk, then continue: everything stored before is there.",
};
const cannotOpen: Plain = {
  code: "STORE_FAILED",
  message: "the file cannot be opened.",
  hint: "Check that the directory exists and that the path names a file.",
};

const results: readonly (readonly [number: number, name: string, plain: Plain])[] = [
  [5, "SQLITE_BUSY", busy],
  [6, "SQLITE_LOCKED", busy],
  [8, "SQLITE_READONLY", readOnly],
  [11, "SQLITE_CORRUPT", corrupt],
  [13, "SQLITE_FULL", full],
  [14, "SQLITE_CANTOPEN", cannotOpen],
  [26, "SQLITE_NOTADB", corrupt],
];

/** Converts anything that the driver threw. An error of Millrace stays as it is. */
export function toStoreError(error: unknown, path: string, plain: Plain = plainOf(error)): WorkflowError {
  if (WorkflowError.is(error)) return error;
  const result = resultOf(error);
  return new WorkflowError({
    code: plain.code,
    message: `The store "${path}": ${plain.message}`,
    hint: plain.hint,
    details: { path, sqlite: result === 0 ? null : result },
    cause: error,
  });
}

/** Returns `true` when another process has the lock, so that a retry may succeed. */
export function isBusy(error: unknown): boolean {
  return resultOf(error) === 5;
}

/** The primary result code; 0 for an error that is not of SQLite. */
export function resultOf(error: unknown): number {
  const { errcode, code } = (error ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  if (typeof errcode === "number") return errcode & 0xff;
  if (typeof code !== "string") return 0;
  // node:sqlite throws this for an integer that no number can hold; the store never writes such integers.
  if (code === "ERR_OUT_OF_RANGE") return 11;
  return results.find(([, name]) => code === name || code.startsWith(`${name}_`))?.[0] ?? 0;
}

function plainOf(error: unknown): Plain {
  const result = resultOf(error);
  return (
    results.find(([number]) => number === result)?.[2] ?? {
      code: "STORE_FAILED",
      message: error instanceof Error ? error.message : String(error),
      hint: "See `cause` for the error of SQLite or the system.",
    }
  );
}
