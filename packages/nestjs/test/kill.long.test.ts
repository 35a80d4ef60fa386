/** A process of Nest that is killed, and one that is asked to end. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { killed } from "../../../test-kill.js";
import { freePort } from "../../../test-ports.js";
import { type Handler, post } from "./support/http.js";

class Shop {
  readonly #adapter: string;
  readonly #folder: string = mkdtempSync(join(tmpdir(), "millrace-nestjs-"));
  readonly #port: number;
  #process: ChildProcess | null = null;

  static async start(adapter: string): Promise<Shop> {
    const shop = new Shop(adapter, await freePort());
    onTestFinished(() => shop.#remove());
    await shop.start();
    return shop;
  }

  private constructor(adapter: string, port: number) {
    this.#adapter = adapter;
    this.#port = port;
  }

  get flows(): string {
    return `http://127.0.0.1:${this.#port}/flows`;
  }

  /** What its service for mails has done. */
  get log(): string[] {
    return readFileSync(join(this.#folder, "log"), { encoding: "utf8", flag: "a+" }).split("\n").filter(Boolean);
  }

  async start(): Promise<void> {
    const support = join(import.meta.dirname, "support");
    const values = [this.#adapter, join(this.#folder, "runs.db"), String(this.#port), join(this.#folder, "log")];
    const flags = ["--disable-warning=ExperimentalWarning", "--import", join(support, "source.mjs")];
    const args = [...flags, join(support, "shop-process.ts"), ...values];
    this.#process = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    await Promise.race([once(this.#process, "message"), once(this.#process, "exit").then(() => expect.fail("ended"))]);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child !== null) await killed(child, signal);
  }

  async #remove(): Promise<void> {
    await this.end("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const read = async (url: string): Promise<Handler> => (await (await fetch(url)).json()) as Handler;

it.each([
  ["Express", "SIGKILL", ["ready", "ready", "refunded A-17"]],
  ["Fastify", "SIGTERM", ["ready", "gone", "ready", "refunded A-17"]],
] as const)("a process of Nest on %s ends by %s: its runs go on in the next one", async (adapter, signal, log) => {
  const shop = await Shop.start(adapter);
  const start = await post(`${shop.flows}/workflows/refund/run`, { start_event: { order: "A-17" } });
  const { handler_id: id, prompts } = (await start.json()) as Handler;
  const stream = await fetch(`${shop.flows}/events/${id}`);
  const cut = stream.text().catch(() => "");

  await shop.end(signal);
  expect(await cut).not.toContain("StopEvent");
  await shop.start();

  await post(`${shop.flows}/handlers/${id}/prompts/${prompts[0]?.prompt_id}`, { fields: { approved: true } });
  expect(await read(`${shop.flows}/handlers/${id}?wait=60000`)).toMatchObject({ status: "completed" });
  expect(shop.log).toEqual(log);
});
