import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { millraceFolder } from "../mcp/millrace-folder.js";
import type { Terminal } from "../output/terminal.js";

/** Prints what a coding assistant has to know about the installed Millrace, or writes it into a file. */
export function skill(terminal: Terminal, { output }: { readonly output?: string }): number {
  const text = readFileSync(join(millraceFolder(terminal.cwd), "skills", "millrace", "SKILL.md"), "utf8");
  if (output === undefined) {
    terminal.write(text);
    return 0;
  }
  const path = resolve(terminal.cwd, output);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  terminal.note(`Wrote ${output}.`);
  return 0;
}
