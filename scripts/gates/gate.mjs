/** What all gates share: finding files, and saying what is wrong and where. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { root } from "../setup/console.mjs";

const skippedFolders = new Set(["node_modules", "dist", "golden", "out", ".next", ".packed", ".reports", ".turbo"]);

/** Paths from the root, with forward slashes, of all files below `folder` whose path matches. */
export function filesIn(folder, pattern) {
  const found = [];
  const visit = (path) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const child = join(path, entry.name);
      if (entry.isDirectory()) {
        if (!skippedFolders.has(entry.name)) visit(child);
      } else if (pattern.test(entry.name)) found.push(relative(root, child).split(sep).join("/"));
    }
  };
  if (existsSync(join(root, folder))) visit(join(root, folder));
  return found.sort();
}

export const read = (path) => readFileSync(join(root, path), "utf8");

/** Ends the process: 0 without problems, else 1 with each of them on a line. */
export function finish(what, problems) {
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) console.log(`${problems.length} problem(s): ${what}`);
  else console.log(`ok: ${what}`);
  process.exit(problems.length > 0 ? 1 : 0);
}
