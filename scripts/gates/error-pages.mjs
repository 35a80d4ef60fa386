/** `errors/catalog.ts` and `docs/errors/*.md` match one to one, and the table of all codes has each of them. */
import { catalog } from "../../packages/core/src/errors/catalog.ts";
import { filesIn, finish, read } from "./gate.mjs";

const codes = Object.keys(catalog);
const folder = "docs/errors";
const pages = filesIn(folder, /^(?!README|index).*\.md$/);
const codeOf = (path) => path.slice(folder.length + 1, -".md".length);
const problems = [];

const table = read(`${folder}/README.md`);
for (const code of codes) {
  if (!table.includes(`| [${code}](${code}.md)`)) problems.push(`${folder}/README.md: the table has no ${code}`);
  if (!pages.some((path) => codeOf(path) === code)) problems.push(`${folder}/${code}.md is missing`);
}
for (const path of pages) {
  if (!Object.hasOwn(catalog, codeOf(path))) problems.push(`${path}: no such code in the catalog`);
  else if (!read(path).includes(codeOf(path))) problems.push(`${path}: does not name its code`);
}
finish(`${codes.length} error codes, each with its page`, problems);
