import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { killed } from "../../../../test-kill.js";
import { endsWithUs } from "./ends-with-us.js";
import { nodeFlags } from "./node-flags.js";

/** A separate process that runs a script. It ends with this process, however that ends. */
export class ScriptProcess {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #complaints = "";

  /** @param nodeOptions As for `node`. */
  constructor(path: string, values: readonly string[], nodeOptions: readonly string[] = []) {
    this.#process = spawn(process.execPath, [...nodeOptions, ...nodeFlags, path, ...values], {
      stdio: "pipe",
    });
    endsWithUs(this.#process, { signal: "SIGKILL" });
    this.#process.stderr.on("data", (data) => (this.#complaints += data));
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#process.pid as number;
  }

  /** The next line that it prints. */
  async line(): Promise<string> {
    const next = await this.#lines.next();
    if (next.done !== true) return next.value;
    throw new TypeError(`the process has ended: ${this.#complaints}`);
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
    this.#process.stdin.write(`${line}\n`);
  }

  /** As `kill -9`. Resolves when it is gone. */
  kill(): Promise<void> {
    return killed(this.#process);
  }
}
