import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { millraceFolder } from "../mcp/millrace-folder.js";
import { invalidOption } from "../output/cli-error.js";
import type { Terminal } from "../output/terminal.js";

interface SkillOptions {
  /** Name of the skill. @default "millrace" */
  readonly name?: string | undefined;
  readonly list?: boolean;
  /** File, relative to the folder of the command. */
  readonly output?: string;
}

/**
 * Prints a skill for coding assistants, as it is in the installed package `millrace`, or writes it into a file.
 *
 * @throws {CliError} `OPTION_INVALID` for a name that no skill has.
 */
export function skill(terminal: Terminal, { name = "millrace", list, output }: SkillOptions): number {
  const skills = installedSkills(terminal.cwd);
  if (list) {
    listSkills(terminal, skills);
    return 0;
  }
  const text = skills.get(name);
  if (text === undefined) throwUnknown(name, [...skills.keys()]);
  if (output === undefined) terminal.write(text);
  else write(terminal, output, text);
  return 0;
}

/** Texts of the skills by name, in the order of their names. */
function installedSkills(cwd: string): ReadonlyMap<string, string> {
  const folder = join(millraceFolder(cwd), "skills");
  const names = readdirSync(folder).sort();
  return new Map(names.map((name) => [name, readFileSync(join(folder, name, "SKILL.md"), "utf8")]));
}

function listSkills(terminal: Terminal, skills: ReadonlyMap<string, string>): void {
  const all = [...skills].map(([name, text]) => ({ name, description: /^description: (.*)$/m.exec(text)?.[1] ?? "" }));
  if (terminal.isJson) return terminal.json(all);
  const width = Math.max(...all.map(({ name }) => name.length));
  for (const { name, description } of all) terminal.line(`${name.padEnd(width)}  ${description}`);
}

function write(terminal: Terminal, output: string, text: string): void {
  const path = resolve(terminal.cwd, output);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  terminal.note(`Wrote ${output}.`);
}

function throwUnknown(name: string, names: readonly string[]): never {
  throw invalidOption(`There is no skill "${name}".`, `Skills are ${names.join(" and ")}.`, { name, names });
}
