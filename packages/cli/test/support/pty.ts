/** The command in a real terminal. */
import { type IPty, spawn } from "@lydell/node-pty";
import { expect, onTestFinished } from "vitest";
import { command, plainEnv } from "./project.js";

export interface TerminalRun {
  readonly pid: number;
  /** All that was written, with its control characters. */
  written(): string;
  /** The same without them. */
  text(): string;
  type(keys: string): void;
  /** Waits until the text has it. */
  shows(expected: string | RegExp): Promise<void>;
  ended(): Promise<number>;
}

const waitMs = 120_000;

export function inTerminal(cwd: string, args: readonly string[]): TerminalRun {
  const env = plainEnv({ TERM: "xterm-256color" });
  const terminal: IPty = spawn(process.execPath, [command, ...args], { cwd, env, cols: 100, rows: 30 });
  let written = "";
  let exitCode: number | null = null;
  terminal.onData((data) => (written += data));
  terminal.onExit((exit) => (exitCode = exit.exitCode));
  onTestFinished(() => {
    if (exitCode === null) terminal.kill("SIGKILL");
  });
  const text = (): string => plain(written);
  return {
    pid: terminal.pid,
    written: () => written,
    text,
    type: (keys) => terminal.write(keys),
    shows: (expected) => expect.poll(text, { timeout: waitMs }).toMatch(expected),
    ended: async () => {
      await expect.poll(() => exitCode, { timeout: waitMs }).not.toBeNull();
      return exitCode as unknown as number;
    },
  };
}

function plain(written: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that a terminal obeys
  return written.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "").replace(/\r/g, "");
}
