/** Scripts of this folder in processes of their own. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

const flags = ["--disable-warning=ExperimentalWarning", "--import", join(import.meta.dirname, "source.mjs")];

/** What `node` gets to run a script of this folder. */
export function scriptArguments(name: string, values: readonly string[]): readonly string[] {
  return [...flags, join(import.meta.dirname, name), ...values];
}

export function startScript(name: string, values: readonly string[]): ChildProcess {
  return spawn(process.execPath, scriptArguments(name, values), { stdio: ["ignore", "pipe", "inherit", "ipc"] });
}
