import { realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { packageFolder } from "../code/user-millrace.js";
import { CliError } from "../output/cli-error.js";

/**
 * The folder of the package `millrace`: that of the project, or the one that this command came with.
 *
 * @throws {CliError} `PACKAGE_MISSING`
 */
export function millraceFolder(cwd: string): string {
  for (const base of [join(cwd, sep), fileURLToPath(import.meta.url)]) {
    const folder = packageFolder("millrace", base);
    if (folder !== null) return realpathSync(folder);
  }
  throw new CliError({
    code: "PACKAGE_MISSING",
    message: "The package millrace is not installed.",
    hint: "Install it: `npm install millrace`.",
    details: { package: "millrace" },
  });
}
