import { toldError } from "./output/cli-error.js";
import { printError } from "./output/print-error.js";
import { quietSqlite } from "./output/quiet-sqlite.js";
import { Terminal } from "./output/terminal.js";
import { runCommand } from "./program.js";

export function main(): Promise<number> {
  quietSqlite(process);
  const { stdout, stderr, stdin, env } = process;
  const terminal = new Terminal({ stdout, stderr, stdin, env, cwd: process.cwd() });
  stdout.once("error", (error: NodeJS.ErrnoException) => {
    stdout.on("error", () => {}); // of what is still written
    // A reader that has seen enough, such as `head`, is not an error. A run is paused, as by Ctrl-C.
    if (error.code === "EPIPE" && process.emit("SIGINT")) return terminal.note("Nobody reads the output any more.");
    process.exit(error.code === "EPIPE" ? 0 : 1);
  });
  stderr.on("error", () => {});
  process.on("uncaughtException", (error) => void onUncaught(terminal, error));
  return runCommand(process.argv.slice(2), terminal);
}

/** Code of the user that nobody awaits: the process ends, as Node would have it, and what it did is in the store. */
async function onUncaught(terminal: Terminal, error: unknown): Promise<void> {
  const { uncaughtError } = await import("./code/load-error.js");
  process.removeAllListeners("exit"); // one message says it
  process.exit(printError(terminal, toldError(error).code === "INTERNAL" ? uncaughtError(error) : error));
}
