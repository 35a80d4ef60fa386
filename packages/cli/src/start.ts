import { describeError } from "./output/cli-error.js";
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
    if (error.code === "EPIPE" && process.emit("SIGINT")) return terminal.note("The output was closed.");
    process.exit(error.code === "EPIPE" ? 0 : 1);
  });
  stderr.on("error", () => {});
  process.on("uncaughtException", (error) => void onUncaught(terminal, error));
  return runCommand(process.argv.slice(2), terminal);
}

/** Unhandled rejections of user code end the process, as in Node; stored progress remains. */
async function onUncaught(terminal: Terminal, error: unknown): Promise<void> {
  const { uncaughtError } = await import("./code/load-error.js");
  process.removeAllListeners("exit"); // one message is enough
  process.exit(printError(terminal, describeError(error).code === "INTERNAL" ? uncaughtError(error) : error));
}
