/** `millrace completion <shell>`, and `millrace complete -- …`, which its scripts ask. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";

export function addCompletion(program: Command, cwd: string): void {
  const root = tab(program, { completionCommandName: "completion" });
  for (const command of root.commands.values()) {
    const file = command.arguments.get("file");
    if (file === undefined) continue;
    file.handler = (complete) => {
      for (const path of codeFiles(cwd)) complete(path, "");
    };
  }
}

const depth = 4;
const most = 500;

/** The library does not complete files by itself. */
function codeFiles(folder: string, below = ""): string[] {
  if (below.split("/").length > depth) return [];
  const found: string[] = [];
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (/^(node_modules|dist|\..*)$/.test(entry.name)) continue;
    if (entry.isDirectory()) found.push(...codeFiles(folder, path));
    else if (/\.[cm]?[jt]s$/.test(entry.name) && !/\.(d|test|spec|config)\./.test(entry.name)) found.push(path);
    if (found.length >= most) break;
  }
  return found;
}
