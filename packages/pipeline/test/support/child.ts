import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export interface Ended {
  readonly signal: string | null;
  readonly lines: readonly string[];
  readonly complaints: string;
}

/** A process of its own that runs one of the scripts beside this file. It ends with the test. */
export class Child {
  /** Resolves when it has printed a line, or has ended. */
  readonly ready: Promise<void>;
  readonly ended: Promise<Ended>;
  readonly #process: ChildProcess;

  constructor(script: string, options: object) {
    const flags = ["--disable-warning=ExperimentalWarning", "--import", fileOf("source.mjs")];
    this.#process = spawn(process.execPath, [...flags, fileOf(script), JSON.stringify(options)], { stdio: "pipe" });
    const { stdout, stderr } = this.#process;
    if (stdout === null || stderr === null) throw new TypeError("the child has no pipes");
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
    this.ended = closed.then(([, signal]) => ({ signal, lines, complaints }));
    onTestFinished(() => this.kill());
  }

  send(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** As `kill -9`. Resolves when it is gone. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.ended;
  }
}
