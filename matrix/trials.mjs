/**
 * Pages as newcomers read them: from an empty folder to the last block, each program run as it is printed. What the comments behind
 * `console.log(…)` and behind commands say has to be printed.
 *
 * "The README" and "npm create millrace" are in setup.mjs.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rowOf } from "./setup.mjs";
import { matrix } from "./tools.mjs";

const start = ["npm init -y", "npm pkg set type=module"];

export function trialRows() {
  const guides = [
    ["coming from workflow-core", "", ["migrating-from-workflow-core"]],
    [
      "coming from Python",
      "@millrace/server @millrace/client react",
      ["coming-from-python", "how-to/serve-workflows", "how-to/call-workflows-from-a-client"],
    ],
    [
      "coming from Agno",
      "@millrace/pipeline @millrace/server @millrace/sqlite",
      ["coming-from-agno", "how-to/pipelines", "how-to/people-in-a-pipeline"],
    ],
  ];
  return [tutorial(), ...guides.map(([name, packages, pages]) => guide(name, packages, pages))];
}

/** Every program is written to the same file, as the page says. */
function tutorial() {
  const parts = partsOf("tutorial");
  const files = {};
  const commands = parts.flatMap((part, index) => {
    if (part.language === "sh") return part.lines;
    const name = `part-${index}.ts`;
    files[name] = part.code;
    const run = parts[index + 1]?.language === "sh" ? [] : ["npx tsx dinner.ts"];
    return [`cp ../${name} dinner.ts`, ...run, ...promises(part)];
  });
  return rowOf({ name: "tutorial", files, commands }, 24);
}

function guide(name, packages, pages) {
  const programs = pages.flatMap(partsOf).filter(({ language }) => language === "ts");
  const files = Object.fromEntries(programs.map(({ code }, index) => [`part-${index}.ts`, code]));
  const runs = programs.flatMap((part, index) => [`node --import tsx part-${index}.ts`, ...promises(part)]);
  const installs = [`npm install millrace ${packages} zod`, "npm install --save-dev tsx"];
  return rowOf({ name, files, commands: [...start, ...installs, ...runs] }, 24);
}

/** A command that does nothing, with what the page says that is printed. */
const promises = ({ prints }) => prints.map((text) => `: # ${text}`);

/** The commands and the programs of a page, in their order. */
function partsOf(page) {
  const text = readFileSync(join(matrix, "..", "docs", `${page}.md`), "utf8");
  const parts = [];
  for (const [, language, info, body, below] of text.matchAll(/^```(ts|sh)\b(.*)\n([\s\S]*?)^```\n(?=\n?(.*))/gm)) {
    if (language === "sh") {
      const [, said] = /^It prints `([^`]+)`/.exec(below) ?? [];
      parts.push({ language, lines: [...body.trim().split("\n"), ...(said === undefined ? [] : [`: # ${said}`])] });
    } else if (!info.includes("fragment")) {
      const code = info.includes("continued") ? `${parts.pop().code}${body}` : body;
      parts.push({ language, code, prints: printsOf(code) });
    }
  }
  return parts;
}

const printsOf = (code) => [...code.matchAll(/console\.log\(.*\);(?: |\n)\/\/ (.*)$/gm)].map(([, comment]) => comment);
