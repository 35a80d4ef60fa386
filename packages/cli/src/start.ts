import { quietSqlite } from "./output/quiet-sqlite.js";
import { Terminal } from "./output/terminal.js";
import { runCommand } from "./program.js";

export function main(): Promise<number> {
  quietSqlite(process);
  const { stdout, stderr, stdin, env } = process;
  // A reader that has seen enough, such as `head`, is no error.
  stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  return runCommand(process.argv.slice(2), new Terminal({ stdout, stderr, stdin, env, cwd: process.cwd() }));
}
