/** What all gates share: finding files, and saying what is wrong and where. */
import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { root } from "../setup/console.mjs";

const skipped = ["**/{node_modules,dist,golden,out,.next,.packed,.reports,.turbo}"];

/** Paths from the root, with forward slashes, of all files below `folder` whose name matches. */
export function filesIn(folder, pattern) {
  const found = globSync(`${folder}/**/*.*`, { cwd: root, exclude: skipped });
  return found
    .map((path) => path.split(sep).join("/"))
    .filter((path) => pattern.test(path.split("/").at(-1)))
    .sort();
}

export const read = (path) => readFileSync(join(root, path), "utf8");

/** Ends the process: 0 without problems, else 1 with each of them on a line. */
export function finish(what, problems) {
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) console.log(`${problems.length} problem(s): ${what}`);
  else console.log(`ok: ${what}`);
  process.exit(problems.length > 0 ? 1 : 0);
}
