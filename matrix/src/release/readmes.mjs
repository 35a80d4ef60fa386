/** npm shows a README without the files around it: no link of it leads to one. */
import { packages, readOf } from "./packages.mjs";

for (const { name } of packages) {
  const prose = readOf(name, "README.md").replace(/^( *```)[\s\S]*?^\1/gm, "");
  const [link] = prose.match(/\]\((?![a-z][a-z+.-]*:|#)[^)\s]+\)/) ?? [];
  if (link !== undefined) throw new Error(`error: the README of ${name} has the link ${link}`);
}
console.log(`${packages.length} READMEs`);
