/**
 * The tables of the capacity page, from numbers that the benches have written down and from a simulation.
 *
 *     node scripts/scale.mjs            compares the page with them
 *     node scripts/scale.mjs --write    writes them into the page
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { finish, read } from "./gates/gate.mjs";
import { tables } from "./scale/tables.mjs";
import { root } from "./setup/console.mjs";

const page = "docs/architecture/scale.md";
const isWriting = process.argv.includes("--write");
const problems = [];
const before = read(page);
const found = await tables();
const after = before.replace(/(<!-- (\w+) -->\n)[\s\S]*?(<!-- end -->)/g, (old, start, name, end) => {
  const block = `${start}\n${found[name]}\n\n${end}`;
  if (block !== old && !isWriting)
    problems.push(`${page}: "${name}" has changed: \`node scripts/scale.mjs --write\` writes it`);
  return block;
});
for (const name of Object.keys(found))
  if (!after.includes(`<!-- ${name} -->\n`)) problems.push(`${page} has no place for "${name}"`);
if (isWriting) writeFileSync(join(root, page), after);
finish("the capacity page has the numbers of the benches and of the simulation", problems);
