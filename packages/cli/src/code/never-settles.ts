/** Code that never finishes loading: it ends the process, or awaits what never settles. */
import { writeSync } from "node:fs";
import { relative } from "node:path";
import { CliError } from "../output/cli-error.js";
import { errorText } from "../output/print-error.js";

/** Rejects when the event loop is empty, and reports it when the process exits. */
export async function toItsEnd<Value>(path: string, loading: Promise<Value>): Promise<Value> {
  const shown = relative(process.cwd(), path) || path;
  let onIdle = (): void => {};
  const idle = new Promise<never>((_resolve, reject) => {
    onIdle = () => reject(endless(shown));
  });
  const onExit = (): void => {
    process.exitCode = 1;
    writeSync(2, `${errorText(exits(shown), process.argv.includes("--json"))}\n`); // the last moment to say anything
  };
  process.once("beforeExit", onIdle);
  process.once("exit", onExit);
  try {
    return await Promise.race([loading, idle]);
  } finally {
    process.off("beforeExit", onIdle);
    process.off("exit", onExit);
  }
}

function endless(shown: string): CliError {
  return new CliError({
    code: "CODE_FAILED",
    message: `${shown} waits, while it is loaded, for something that never happens.`,
    hint: "Look at its `await` outside of functions, and at those of the files that it imports.",
  });
}

function exits(shown: string): CliError {
  return new CliError({
    code: "CODE_FAILED",
    message: `${shown} has ended the process while it was loaded.`,
    hint: "Keep `process.exit` out of files with workflows.",
  });
}
