/** Every suppression says why, and every TODO has its issue. Biome sees to it that every test runs. */
import { filesIn, finish, read } from "./gate.mjs";

/** `@ts-expect-error [2345] -- reason` and `biome-ignore lint/group/rule: reason`. */
const rules = [
  {
    found: /(?:\/\/|\*)\s*@ts-(?:expect-error|ignore)\b(.*)/,
    fine: /^(?:\s*\[[^\]]*\])?[\s:-]*\S.{4,}/,
    what: "a suppression without a reason",
  },
  { found: /@ts-nocheck/, fine: null, what: "@ts-nocheck hides a whole file" },
  { found: /biome-ignore(.*)/, fine: /:\s*(?!<)[^\s].{4,}/, what: "a lint suppression without a reason" },
  {
    found: /\b(?:eslint-disable|oxlint-disable|prettier-ignore)\b/,
    fine: null,
    what: "a suppression for a tool we do not use",
  },
  { found: /\b(?:TODO|FIXME|XXX)\b(.*)/, fine: /^\(#\d+\)/, what: "a TODO without its issue: TODO(#123)" },
];

const problems = [];
const sources = ["packages", "examples", "matrix", "site"].flatMap((folder) => filesIn(folder, /\.(ts|tsx|mjs|mts)$/));
for (const path of sources) {
  read(path)
    .split("\n")
    .forEach((line, index) => {
      for (const { found, fine, what } of rules) {
        const match = found.exec(line);
        if (match && !fine?.test(match[1] ?? "")) problems.push(`${path}:${index + 1}: ${what}: ${line.trim()}`);
      }
    });
}
finish("suppressions carry reasons, TODOs have issues", problems);
