/** A process with chats that can be killed and started again, over the same file and under the same port. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

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
    const killed = this.#process;
    this.#process = null;
    if (killed === null) return;
    killed.kill("SIGKILL");
    await once(killed, "exit");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, "close");
  return port;
}
