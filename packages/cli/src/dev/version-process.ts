/** The child process of one version of the code, as `dev` sees it. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CliError, describeError, type ErrorDescription } from "../output/cli-error.js";
import type { FromWorker, ToWorker, WorkerSetup } from "./messages.types.js";

export type Loaded = Extract<FromWorker, { type: "loaded" | "failed" }>;
export type Serving = Extract<FromWorker, { type: "serving" | "failed" }>;

export class VersionProcess {
  readonly #child: ChildProcess;
  /** Resolves when the process has left. */
  readonly left: Promise<void>;

  constructor() {
    const entry = fileURLToPath(new URL("./worker.js", import.meta.url));
    // Not the flags of this process: an inspector has one port.
    this.#child = fork(entry, [], {
      execArgv: ["--enable-source-maps"],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.left = new Promise((resolve) => this.#child.once("exit", () => resolve()));
  }

  async load(setup: WorkerSetup): Promise<Loaded> {
    return (await this.#ask({ type: "load", setup }, ["loaded", "failed"])) as Loaded;
  }

  async serve(where: { readonly port: number; readonly isDefault: boolean }): Promise<Serving> {
    return (await this.#ask({ type: "serve", ...where }, ["serving", "failed"])) as Serving;
  }

  /** Resolves when the port is free; the process may still finish its steps. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || !this.#child.connected) return;
    await this.#ask({ type: "stop" }, ["closed"]);
  }

  /** The next version cannot be loaded. */
  outdated(error: ErrorDescription): void {
    const message: ToWorker = { type: "outdated", error };
    if (this.#child.connected) this.#child.send(message);
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  onExit(listener: (code: number | null) => void): void {
    this.#child.once("exit", listener);
  }

  #ask(message: ToWorker, answers: readonly FromWorker["type"][]): Promise<FromWorker> {
    return new Promise((resolve) => {
      const settle = (answer: FromWorker): void => {
        this.#child.off("message", onMessage);
        this.#child.off("exit", onExit);
        resolve(answer);
      };
      const onMessage = (answer: unknown): void => {
        if (answers.includes((answer as FromWorker).type)) settle(answer as FromWorker);
      };
      const onExit = (code: number | null): void =>
        settle(answers.includes("closed") ? { type: "closed" } : died(code));
      this.#child.on("message", onMessage);
      this.#child.on("exit", onExit);
      this.#child.send(message, (error) => {
        if (error !== null) onExit(this.#child.exitCode);
      });
    });
  }
}

/** The code has ended its own process, such as a program with `process.exit`. */
function died(code: number | null): FromWorker {
  const error = new CliError({
    code: "CODE_FAILED",
    message: `The process of the code has ended with ${code ?? "a signal"} while it was loaded.`,
    hint: "Keep `process.exit` out of files with workflows.",
  });
  return { type: "failed", files: [], error: describeError(error) };
}
