/** The server of the tests in a process of its own, and how to start runs on it without a browser. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  type Client,
  createClient,
  type Flows,
  type HistoryEntry,
  type RunOptions,
  type RunOutcome,
} from "@millrace/client";
import { killed } from "../../../../test-kill.js";
import { freePort } from "../../../../test-ports.js";
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

  /** With `signed` it wants a token, with `read-only` it changes nothing, with `sources` it tells the code of a step, with `operated` it has queues and schedules. `prepare` is given the file of its store. */
  static async start(
    words: readonly ("signed" | "read-only" | "sources" | "operated")[] = [],
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
    if (this.#child !== null) await within("the end of the server", killed(this.#child));
  }

  get client(): Client<Flows> {
    const headers = this.#token === null ? {} : { authorization: `Bearer ${this.#token}` };
    return createClient({ baseUrl: this.url, headers });
  }

  /** Starts a run, and gives its id. */
  async run(workflow: string, input: Record<string, unknown> = {}, options: RunOptions = {}): Promise<string> {
    const run = this.client.run(workflow, input, options);
    await within(`the start of ${workflow}`, run.accepted);
    return run.handlerId;
  }

  /** Waits until a run has ended, or waits for somebody. */
  settled(id: string): Promise<RunOutcome> {
    return within(`run "${id}"`, this.#settled(id));
  }

  async #settled(id: string): Promise<RunOutcome> {
    for (;;) {
      const outcome = await this.client.handle(id).idle();
      // Until the next attempt of a step, a run waits for the clock.
      if (outcome.status !== "waiting" || outcome.wakeAtMs === null || outcome.prompts.length > 0) return outcome;
      await setTimeout(Math.max(20, outcome.wakeAtMs - Date.now()));
    }
  }

  /** Answers the question that the run waits for. */
  async answer(id: string, fields: object): Promise<void> {
    const run = this.client.handle(id);
    await this.settled(id);
    const [prompt] = await run.prompts();
    await run.answer(prompt?.promptId ?? "", fields);
  }

  async history(id: string): Promise<readonly HistoryEntry[]> {
    const entries: HistoryEntry[] = [];
    for await (const entry of this.client.history(id)) entries.push(entry);
    return entries;
  }

  async gate(action: "open" | "close", name: string): Promise<void> {
    await fetch(`${this.url}/gate/${action}/${name}`, { method: "POST" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
