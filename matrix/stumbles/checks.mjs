/** What the stumbles of strangers.mjs have in common. `says` is what has to be printed, and `never` what was printed when somebody stumbled. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { matrix } from "../tools.mjs";

/** A file of the repository. */
export const read = (...path) => readFileSync(join(matrix, "..", ...path), "utf8");

export const install = "npm install --no-audit --no-fund";

/** What the compiler says about a file; it compiles all of them once. */
export const compiles = (file) =>
  `test -e tsc.log || npx tsc --pretty false > tsc.log; grep -A2 '^${file}' tsc.log || echo 'no error in ${file}'`;
export const isClean = /no error in \S+/;

export const runs = (file) => `npx tsx ${file}`;

/** What the documentation in the package says. */
export const documented = (page, words) => `grep -ohE '${words}' node_modules/millrace/docs/${page}`;
