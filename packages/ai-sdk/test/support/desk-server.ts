/** A process with chats that can be killed and started again, over the same file and under the same port. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { killed } from "../../../../test-kill.js";
import { freePort } from "../../../../test-ports.js";

interface DeskServerOptions {
  readonly modelUrl: string;
  /** File with the script of the page; empty: none. */
  readonly page: string;
  readonly script: string;
}

export class DeskServer implements AsyncDisposable {
  readonly #folder: string = mkdtempSync(join(tmpdir(), "millrace-chat-"));
  readonly #options: DeskServerOptions;
  readonly #port: number;
  #process: ChildProcess | null = null;

  /** @param script Of the process. @default one that serves chats */
  static async start(modelUrl: string, page = "", script = "desk-process.ts"): Promise<DeskServer> {
    const server = new DeskServer({ modelUrl, page, script }, await freePort());
    await server.start();
    return server;
  }

  private constructor(options: DeskServerOptions, port: number) {
    this.#options = options;
    this.#port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Executions of tools, with their keys. */
  get executed(): string[] {
    return readFileSync(join(this.#folder, "log"), { encoding: "utf8", flag: "a+" }).split("\n").filter(Boolean);
  }

  async start(): Promise<void> {
    const { modelUrl, page, script: name } = this.#options;
    const script = resolve(import.meta.dirname, name);
    const hooks = join(import.meta.dirname, "source.mjs");
    const values = [join(this.#folder, "runs.db"), modelUrl, String(this.#port), join(this.#folder, "log"), page];
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
