import { readFileSync } from "node:fs";
import { CliError } from "./cli-error.js";

/** The bytes of a file that somebody has named. @throws {CliError} `FILE_UNKNOWN`, also for one that cannot be read */
export function readNamedFile(path: string, { name, hint }: { readonly name: string; readonly hint: string }): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new CliError({
      code: "FILE_UNKNOWN",
      message: code === "ENOENT" ? `There is no file ${name}.` : `The file ${name} cannot be read: ${code}.`,
      hint,
      details: { path },
      cause,
    });
  }
}
