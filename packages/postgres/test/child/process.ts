import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A process of its own that runs one of the scripts beside this file. It ends with the test. */
export class Child {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #complaints = "";

  constructor(script: string, values: readonly string[]) {
    const preload = ["--import", fileOf("source.mjs")];
    this.#process = spawn(process.execPath, [...preload, fileOf(script), ...values], { stdio: "pipe" });
    const { stdout, stderr } = this.#process;
    if (stdout === null || stderr === null) throw new TypeError("the child has no pipes");
    stderr.on("data", (data) => (this.#complaints += data));
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    onTestFinished(() => this.kill());
  }

  get pid(): number {
    return this.#process.pid as number;
  }

  /** The next line that it prints. */
  async line(): Promise<string> {
    const next = await this.#lines.next();
    if (next.done !== true) return next.value;
    throw new TypeError(`the child has ended: ${this.#complaints}`);
  }

  /** Everything that it still prints, until it ends. */
  async rest(): Promise<string[]> {
    const lines: string[] = [];
    for (let next = await this.#lines.next(); next.done !== true; next = await this.#lines.next())
      lines.push(next.value);
    if (this.#complaints !== "") throw new TypeError(this.#complaints);
    return lines;
  }

  send(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** As `kill -9`. Resolves when it is gone. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await gone;
  }
}
