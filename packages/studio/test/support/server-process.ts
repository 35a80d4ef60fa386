/** The server of the tests in a process of its own, and how to start runs on it without a browser. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../../test-ports.js";
import type { Handler } from "../../src/api/contract.types.js";
import { within } from "./within.js";

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const source = fileOf("../../../client/test/child/source.mjs");

export class StudioServer implements AsyncDisposable {
  readonly #folder: string = mkdtempSync(join(tmpdir(), "millrace-studio-"));
  #words: readonly string[];
  #child: ChildProcess | null = null;
  #port = 0;
  #token: string | null = null;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  /** With `signed` it wants a token, with `read-only` it changes nothing, with `sources` it tells the code of a step. `prepare` is given the file of its store. */
  static async start(
    words: readonly ("signed" | "read-only" | "sources")[] = [],
    prepare?: (file: string) => void,
  ): Promise<StudioServer> {
    const server = new StudioServer(words);
    if (words.includes("signed")) server.#token = "acme-token";
    prepare?.(server.file);
    await server.restart();
    return server;
  }

  get file(): string {
    return join(this.#folder, "runs.db");
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get studio(): string {
    return `${this.url}/studio/`;
  }

  /** @param words As for `start`, from here on. */
  async restart(words: readonly string[] = this.#words): Promise<void> {
    await this.kill();
    this.#words = words;
    if (this.#port === 0) this.#port = await freePort();
    const flags = ["--disable-warning=ExperimentalWarning", "--import", source];
    const child = spawn(process.execPath, [
      ...flags,
      fileOf("../child/server.ts"),
      this.file,
      String(this.#port),
      ...this.#words,
    ]);
    this.#child = child;
    let complaints = "";
    child.stderr.on("data", (data: Buffer) => (complaints += data));
    const begun = Promise.race([once(createInterface({ input: child.stdout }), "line"), once(child, "exit")]);
    const line = await within("the start of the server", begun);
    if (!/^\d+$/.test(line[0])) throw new TypeError(`the server has ended: ${complaints}`);
  }

  /** As `kill -9`. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await within("the end of the server", once(child, "exit"));
  }

  async ask<Answer>(path: string, body?: unknown): Promise<Answer> {
    const headers = {
      "content-type": "application/json",
      ...(this.#token !== null && { authorization: `Bearer ${this.#token}` }),
    };
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const read = async (): Promise<unknown> => {
      const response = await fetch(`${this.url}${path}`, init);
      if (!response.ok) throw new TypeError(`${path}: ${response.status} ${await response.text()}`);
      return response.status === 204 ? null : response.json();
    };
    return (await within(path, read())) as Answer;
  }

  /** Starts a run, and gives its id. */
  async run(workflow: string, start_event: object = {}, rest: object = {}): Promise<string> {
    const { handler_id } = await this.ask<Handler>(`/workflows/${workflow}/run-nowait`, { start_event, ...rest });
    return handler_id;
  }

  /** Waits until a run has ended, or waits for somebody. */
  async settled(id: string): Promise<Handler> {
    for (let turn = 0; turn < 6; turn++) {
      const run = await this.ask<Handler>(`/handlers/${id}?wait=10000`);
      if (run.status !== "running" || run.waiting) return run;
    }
    throw new TypeError(`run "${id}" still runs after a minute`);
  }

  async gate(deed: "open" | "close", name: string): Promise<void> {
    await fetch(`${this.url}/gate/${deed}/${name}`, { method: "POST" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
