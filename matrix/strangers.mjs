/**
 * What six strangers typed on their first day, in the order of their report, each in an empty folder with the packed packages. Every stumble
 * of theirs is a line: what was typed, and what it prints now. `npm run matrix -- stranger` shows all of them.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { printedBy } from "./setup.mjs";
import { writesAnAgent } from "./stumbles/agent.mjs";
import { writesALibrary } from "./stumbles/library.mjs";
import { buildsAPage } from "./stumbles/page.mjs";
import { portsPython } from "./stumbles/python.mjs";
import { readsTheReadme } from "./stumbles/readme.mjs";
import { siteStumbles } from "./stumbles/site.mjs";
import { portsWorkflowCore } from "./stumbles/workflow-core.mjs";
import { matrix } from "./tools.mjs";

export function strangerRows() {
  return [
    ...strangers.map(rowOf),
    { name: "stranger: the site", run: async () => report("site", siteStumbles, textsOfSite()), prints },
  ];
}

const strangers = [readsTheReadme(), portsWorkflowCore, portsPython, buildsAPage, writesAnAgent, writesALibrary()];
const prints = "all gone";
/** Stands between what two stumbles print. */
const mark = "::next::";

function rowOf({ name, files, install, stumbles, major = 24 }) {
  const run = async () => {
    const commands = stumbles.map(({ command }) => `echo ${mark}; ( ${command} ) 2>&1 || echo "exit code $?"`);
    const printed = await printedBy({ files, commands: [...install, ...commands] }, major);
    return report(`S${name[0]}`, stumbles, printed.split(mark).slice(1));
  };
  return { name: `stranger ${name}`, run, prints };
}

/** A line for each stumble, and what is left of them. */
function report(who, stumbles, texts) {
  const left = stumbles.filter(({ typed, says, never }, index) => {
    const now = (texts[index] ?? "").trim();
    const [said] = says.exec(now) ?? [];
    const isGone = said !== undefined && never?.test(now) !== true;
    console.log(`  ${isGone ? "gone " : "STAYS"} ${who}, ${typed}: ${(isGone ? said : now.slice(-400)) || "nothing"}`);
    return !isGone;
  });
  return left.length === 0 ? prints : `error: ${left.length} stay: ${left.map(({ typed }) => typed).join("; ")}`;
}

/** The site is built and used in Chromium by its own tests: what they are named says what they do. */
function textsOfSite() {
  const files = ["test/site.long.test.ts", "build/assemble.ts", "build/sidebar.ts"];
  const text = files.map((file) => readFileSync(join(matrix, "..", "site", file), "utf8")).join("\n");
  return siteStumbles.map(() => text);
}
