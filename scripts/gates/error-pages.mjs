/** `errors/catalog.ts` and `docs/errors/*.md` match one to one, and the table of all codes has each of them. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../setup/console.mjs";
import { filesIn, finish, parse, read, walk } from "./gate.mjs";

const catalogFile = "packages/core/src/errors/catalog.ts";
const codes = new Set();
walk(parse(catalogFile), (node) => {
  if (ts.isPropertyAssignment(node) && /^[A-Z][A-Z0-9_]+$/.test(node.name.getText())) codes.add(node.name.getText());
});

const folder = "docs/errors";
const pages = existsSync(join(root, folder)) ? filesIn(folder, /^(?!README|index).*\.md$/) : [];
const codeOf = (path) => path.slice(folder.length + 1, -".md".length);
const problems = [];

if (codes.size === 0) problems.push(`${catalogFile}: no codes found; this gate no longer understands the file`);
const table = read(`${folder}/README.md`);
for (const code of codes) {
  if (!table.includes(`| [${code}](${code}.md)`)) problems.push(`${folder}/README.md: the table has no ${code}`);
  if (!pages.some((path) => codeOf(path) === code)) problems.push(`${folder}/${code}.md is missing`);
}
for (const path of pages) {
  if (!codes.has(codeOf(path))) problems.push(`${path}: no such code in ${catalogFile}`);
  else if (!read(path).includes(codeOf(path))) problems.push(`${path}: does not name its code`);
}
finish(`${codes.size} error codes, each with its page`, problems);
