import { openSync } from "node:fs";
import { resolve } from "node:path";
import { CliError } from "./cli-error.js";

/** Opens a file to write, before the work whose result it gets. @throws {CliError} `OUTPUT_UNKNOWN` */
export function openOutput(cwd: string, output: string): number {
  try {
    return openSync(resolve(cwd, output), "w");
  } catch (cause) {
    throw new CliError({
      code: "OUTPUT_UNKNOWN",
      message: `${output} cannot be written: ${(cause as NodeJS.ErrnoException).code}.`,
      hint: "Pass the path of a file in an existing folder.",
      cause,
    });
  }
}
