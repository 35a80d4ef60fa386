/** The server in a process of its own, and what tests ask of it over HTTP. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { killed } from "../../../test-kill.js";
import { freePort } from "../../../test-ports.js";
import type { Handler } from "../src/index.js";
import type { Answer, Json } from "./answer.types.js";

const fileOf = (name: string): string => fileURLToPath(new URL(`child/${name}`, import.meta.url));

export class ServerProcess {
  readonly #folder: string = mkdtempSync(join(tmpdir(), "millrace-server-"));
  readonly #options: object;
  #child: ChildProcess | null = null;
  #port = 0;
  #restarted: Promise<void> = Promise.resolve();
  readonly #waiting: ((line: string) => void)[] = [];
  /** What the server has logged. */
  readonly log: string[] = [];

  constructor(options: object = {}) {
    this.#options = options;
  }

  static async start(options: object = {}): Promise<ServerProcess> {
    const server = new ServerProcess(options);
    await server.restart();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** On the same port and file. One at a time: the next one kills the process that the one before has started. */
  restart(): Promise<void> {
    this.#restarted = this.#restarted.then(() => this.#restart());
    return this.#restarted;
  }

  async #restart(): Promise<void> {
    await this.kill();
    if (this.#port === 0) this.#port = await freePort();
    const flags = ["--disable-warning=ExperimentalWarning", "--expose-gc", "--import", fileOf("source.mjs")];
    const options = JSON.stringify({ ...this.#options, port: this.#port });
    const child = spawn(process.execPath, [...flags, fileOf("server.ts"), join(this.#folder, "runs.db"), options]);
    this.#child = child;
    child.stderr.on("data", (data: Buffer) => this.log.push(String(data)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("log ")) this.log.push(line.slice(4));
      else this.#waiting.shift()?.(line);
    });
    const line = await Promise.race([this.#line(), once(child, "exit").then(() => "")]);
    if (line === "") throw new TypeError(`the server has ended: ${this.log.join("\n")}`);
  }

  /** Bytes of heap in use, after a collection. */
  async memory(): Promise<number> {
    const line = this.#line();
    this.#child?.stdin?.write("memory\n");
    return Number((await line).split(" ")[1]);
  }

  /** As `kill -9`. */
  async kill(): Promise<void> {
    if (this.#child !== null) await killed(this.#child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#restarted.catch(() => {}); // whoever asked for it is told
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetch(`${this.url}${path}`, init);
  }

  async get<Body = Json>(path: string, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    return answerOf(await this.fetch(path, { headers }));
  }

  async post<Body = Json>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await this.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      ...(text !== undefined && { body: text }),
    });
    return answerOf(response);
  }

  start(workflow: string, body: object = {}, headers: Record<string, string> = {}): Promise<Answer<Handler>> {
    return this.post(`/workflows/${workflow}/run-nowait`, body, headers);
  }

  /** Its record, once it has ended. */
  async ended(id: string): Promise<Handler> {
    await (await this.fetch(`/events/${id}`)).text();
    return (await this.get<Handler>(`/handlers/${id}`)).body;
  }

  #line(): Promise<string> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
