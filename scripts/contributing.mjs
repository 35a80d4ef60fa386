/**
 * Follows the flows of CONTRIBUTING.md, "Add …", in a clone of HEAD: each change as it is printed there, then the commands.
 *
 * A line that names a file says what happens: "in `file`, below `line`:" and "in a new file `file`:" take the code below them;
 * "in `file` … `old` becomes `new`" needs none.
 *
 *     node scripts/contributing.mjs
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { root, say } from "./setup/console.mjs";

const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
const clone = mkdtempSync(join(tmpdir(), "millrace-contributing-"));
const bins = [join(clone, "node_modules", ".bin"), join(root, ".tools", "node_modules", ".bin")];
const env = { ...process.env, PATH: [...bins, process.env.PATH].join(delimiter), LONG_TESTS: "" };
const commands = [];

process.on("exit", () => rmSync(clone, { recursive: true, force: true }));
run(`git clone --quiet --shared "${root}" .`);
run("pnpm install --frozen-lockfile --prefer-offline --silent");
follow(page.slice(page.indexOf("\n## Add a step option"), page.indexOf("\n## Write it down")));
for (const command of commands) run(command);
say(`CONTRIBUTING.md works as written: ${commands.length} commands`);

/** All changes of all flows come before the first command: an option and its error code need each other. */
function follow(flows) {
  for (const [, before, , language, code] of flows.matchAll(/^(\S.*)\n\n(`{3,})(\w+).*\n([\s\S]*?)^\2$/gm)) {
    const [, file, line] = /in `([^`]+)`.*, below `([^`]+)`:$/.exec(before) ?? [];
    const [, created] = /in a new file `([^`]+)`/.exec(before) ?? [];
    if (created) write(created, code);
    else if (file)
      change(file, (text) => text.replace(lineWith(text, line, file), (found) => `${found}\n${code.trimEnd()}`));
    else if (language === "sh") commands.push(...code.trim().split("\n"));
    else throw new Error(`nothing says what to do with the block below: ${before}`);
  }
  for (const [, file, old, changed] of flows.matchAll(/in `([^`]+)`.*, `([^`]+)` becomes `([^`]+)`/g))
    change(file, (text) => text.replace(once(text, old, file), changed));
}

function lineWith(text, start, file) {
  once(text, `\n${start}`, file);
  return text.split("\n").find((line) => line.startsWith(start));
}

function once(text, part, file) {
  if (text.split(part).length !== 2) throw new Error(`${file} has "${part.trim()}" not once`);
  return part;
}

function change(file, edit) {
  writeFileSync(join(clone, file), edit(readFileSync(join(clone, file), "utf8")));
}

function write(file, text) {
  mkdirSync(dirname(join(clone, file)), { recursive: true });
  writeFileSync(join(clone, file), text);
}

function run(command) {
  say(command);
  const { status } = spawnSync(command, { cwd: clone, env, shell: true, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(`failed: ${command}`);
}
