/**
 * Calls this command in a process of its own: code of the user may print, throw and never end, and the server speaks on its own standard
 * output.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export interface CommandAnswer {
  /** JSON values that the command printed, one in each line. */
  readonly values: readonly JsonObject[];
  /** What else was printed, such as by code of the user: its last 4,000 characters. */
  readonly printed: string;
  readonly exitCode: number | null;
}

export type JsonObject = Readonly<Record<string, unknown>>;

interface Call {
  readonly cwd: string;
  /** Interrupts the command, which pauses a run and keeps it. */
  readonly signal: AbortSignal;
}

const main = fileURLToPath(new URL("./main.js", import.meta.url));

export async function callCommand(args: readonly string[], { cwd, signal }: Call): Promise<CommandAnswer> {
  const child = spawn(process.execPath, [main, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const interrupt = (): void => void child.kill("SIGINT");
  if (signal.aborted) interrupt();
  signal.addEventListener("abort", interrupt, { once: true });
  try {
    const [stdout, stderr, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close") as Promise<[number | null]>,
    ]);
    const lines = [...stdout.split("\n"), ...stderr.split("\n")].filter((line) => line !== "");
    const values = lines.map(jsonOf);
    const printed = lines.filter((_line, index) => values[index] === null).join("\n");
    return { values: values.filter((value) => value !== null), printed: printed.slice(-4_000), exitCode };
  } finally {
    signal.removeEventListener("abort", interrupt);
  }
}

function jsonOf(line: string): JsonObject | null {
  if (!line.startsWith("{")) return null;
  try {
    return JSON.parse(line) as JsonObject;
  } catch {
    return null; // printed by code of the user
  }
}
