import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("..", import.meta.url));

export interface ExampleOptions {
  readonly args?: readonly string[];
  /** @default the folder of the examples */
  readonly cwd?: string;
  /** What turns TypeScript with decorators into JavaScript. @default tsx */
  readonly transform?: "tsx" | "none";
  /** Presses Ctrl-C once this has been printed. */
  readonly interruptAt?: string;
}

export interface ExampleRun {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs an example as its reader does: a process of its own, without a terminal. */
export function runExample(file: string, options: ExampleOptions = {}): Promise<ExampleRun> {
  const { args = [], cwd = folder, transform = "tsx" } = options;
  const loader = transform === "tsx" ? ["--import", import.meta.resolve("tsx")] : [];
  const env = { ...process.env, INIT_CWD: cwd, NO_COLOR: "1" };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...loader, `${folder}${file}`, ...args],
      { cwd, env },
      (error, output, errors) => {
        resolve({ exitCode: error ? Number(error.code ?? 1) : 0, output, errors });
      },
    );
    child.stdout?.on("data", (text) => {
      if (options.interruptAt !== undefined && String(text).includes(options.interruptAt)) child.kill("SIGINT");
    });
  });
}
