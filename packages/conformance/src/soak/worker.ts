/** A process of the soak, as its driver sees it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { endsWithUs, nodeFlags } from "../processes/index.js";
import type { WorkloadOptions } from "./workload.js";

export class Worker {
  readonly options: WorkloadOptions;
  /** Resolves when it has printed `ready`, or has ended. */
  readonly ready: Promise<void>;
  /** What it printed and complained of, and how it ended. */
  readonly ended: Promise<{ readonly done: boolean; readonly signal: string | null; readonly complaints: string }>;
  readonly #process: ChildProcess;

  /** @param script Calls `runWorkload`. */
  constructor(script: string, options: WorkloadOptions) {
    this.options = options;
    this.#process = spawn(process.execPath, [...nodeFlags, script, JSON.stringify(options)], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    endsWithUs(this.#process, { signal: "SIGKILL" });
    const { stdout, stderr } = this.#process;
    if (stdout === null || stderr === null) throw new TypeError("the process has no pipes");
    const lines: string[] = [];
    let complaints = "";
    stderr.on("data", (data) => (complaints += data));
    const closed = once(this.#process, "close");
    this.ready = new Promise((resolve) => {
      createInterface({ input: stdout }).on("line", (line) => {
        lines.push(line);
        resolve();
      });
      closed.then(() => resolve());
    });
    this.ended = closed.then(([, signal]) => ({ done: lines.includes("done"), signal, complaints }));
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** As `kill -9`. Resolves when it is gone. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.ended;
  }

  stop(): void {
    this.#process.kill("SIGSTOP");
  }

  continue(): void {
    this.#process.kill("SIGCONT");
  }
}
