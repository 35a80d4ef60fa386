/** A process over a file that can be killed and started again, under the same port. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killed } from "../../../../test-kill.js";
import { freePort } from "../../../../test-ports.js";

export class KillableProcess implements AsyncDisposable {
  readonly #folder: string = mkdtempSync(join(tmpdir(), "millrace-a2a-"));
  readonly #script: string;
  readonly #port: number;
  readonly #more: readonly string[];
  #process: ChildProcess | null = null;

  /** @param script Name of a file beside this one. */
  static async start(script: string, ...more: string[]): Promise<KillableProcess> {
    const started = new KillableProcess(script, await freePort(), more);
    await started.start();
    return started;
  }

  private constructor(script: string, port: number, more: readonly string[]) {
    this.#script = script;
    this.#port = port;
    this.#more = more;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Lines that its effects have left. */
  get effects(): string[] {
    return readFileSync(join(this.#folder, "log"), { encoding: "utf8", flag: "a+" }).split("\n").filter(Boolean);
  }

  async start(): Promise<void> {
    const values = [join(this.#folder, "runs.db"), String(this.#port), join(this.#folder, "log"), ...this.#more];
    const hooks = join(import.meta.dirname, "source.mjs");
    const script = join(import.meta.dirname, this.#script);
    const flags = ["--disable-warning=ExperimentalWarning", "--import", hooks, script, ...values];
    this.#process = spawn(process.execPath, flags, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    await once(this.#process, "message");
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null) return;
    await killed(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
