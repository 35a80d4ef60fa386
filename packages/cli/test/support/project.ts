/** A project of a user in a folder of its own, and the command in it. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

const cli = join(import.meta.dirname, "..", "..");
export const command: string = join(cli, "dist", "main.js");
const flows = join(cli, "test", "projects", "flows");

export interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Project {
  readonly folder: string;
  write(name: string, text: string): void;
  /** Runs the command to its end. */
  call(...args: string[]): Promise<Answer>;
  /** Its standard output as one value. */
  json<Value>(...args: string[]): Promise<Value>;
  /** Starts it, until the test is over. */
  start(...args: string[]): Running;
}

export interface Running {
  readonly child: ChildProcess;
  /** Lines of standard output so far. */
  lines(): string[];
  said(): string;
}

/** Below this package, so that packages are found. */
export function createProject(files: Readonly<Record<string, string>> = {}): Project {
  const base = join(cli, ".reports");
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(join(base, "project-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write("package.json", JSON.stringify({ name: "project", type: "module" }));
  for (const [name, text] of Object.entries(files)) write(name, text);
  const open = (args: readonly string[]): Running => start(folder, args);
  const call = async (...args: string[]): Promise<Answer> => {
    const running = open(args);
    const code = await new Promise<number | null>((resolve) => running.child.once("close", resolve));
    return { code, stdout: running.lines().join("\n"), stderr: running.said() };
  };
  return {
    folder,
    write,
    call,
    json: async (...args) => {
      const { stdout, stderr } = await call(...args, "--json");
      try {
        return JSON.parse(stdout);
      } catch (cause) {
        throw new Error(`no JSON: ${stdout}\n${stderr}`, { cause });
      }
    },
    start: (...args) => open(args),
  };
}

/** Nothing of the terminal that runs the tests. */
export function plainEnv(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, ...more };
}

function start(cwd: string, args: readonly string[]): Running {
  const child = spawn(process.execPath, [command, ...args], {
    cwd,
    env: plainEnv(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data) => (stdout += data));
  child.stderr.on("data", (data) => (stderr += data));
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, lines: () => stdout.trimEnd().split("\n"), said: () => stderr };
}

export function flowsFile(name: string): string {
  return join(flows, name);
}
