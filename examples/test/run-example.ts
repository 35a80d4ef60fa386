import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { signalsAt } from "./signals-at.js";

const folder = fileURLToPath(new URL("..", import.meta.url));

export interface ExampleOptions {
  readonly args?: readonly string[];
  /** @default the folder of the examples */
  readonly cwd?: string;
  /** What turns TypeScript with decorators into JavaScript. @default tsx */
  readonly transform?: "tsx" | "none";
  /** Presses Ctrl-C once this has been printed. */
  readonly interruptAt?: RegExp;
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ExampleRun {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs an example as its reader does: a process of its own, without a terminal. */
export function runExample(file: string, options: ExampleOptions = {}): Promise<ExampleRun> {
  const { args = [], cwd = folder, transform = "tsx", interruptAt } = options;
  const interrupt = interruptAt === undefined ? [] : ["--import", signalsAt(interruptAt, "SIGINT")];
  const loader = transform === "tsx" ? ["--import", import.meta.resolve("tsx")] : [];
  const env = { ...process.env, INIT_CWD: cwd, NO_COLOR: "1", ...options.env };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...interrupt, ...loader, `${folder}${file}`, ...args],
      { cwd, env },
      (error, output, errors) => {
        resolve({ exitCode: error ? Number(error.code ?? 1) : 0, output, errors });
      },
    );
  });
}
