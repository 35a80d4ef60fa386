/** A Millrace server in a process of its own, and a wire to it that can be cut. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { killed } from "../../../../test-kill.js";
import { freePort } from "../../../../test-ports.js";

const fileOf = (name: string): string => fileURLToPath(new URL(`../child/${name}`, import.meta.url));

export class ServerProcess implements AsyncDisposable {
  readonly #folder: string = mkdtempSync(join(tmpdir(), "millrace-client-"));
  #child: ChildProcess | null = null;
  #port = 0;
  #restarted: Promise<void> = Promise.resolve();

  readonly #streamsPerClient: number;

  constructor(streamsPerClient: number) {
    this.#streamsPerClient = streamsPerClient;
  }

  static async start({ streamsPerClient = 100 } = {}): Promise<ServerProcess> {
    const server = new ServerProcess(streamsPerClient);
    await server.restart();
    return server;
  }

  get port(): number {
    return this.#port;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Kills the process; the next one has the same port and file. One at a time: a second call kills what the first has started. */
  restart(): Promise<void> {
    this.#restarted = this.#restarted.then(() => this.#restart());
    return this.#restarted;
  }

  async #restart(): Promise<void> {
    await this.kill();
    if (this.#port === 0) this.#port = await freePort();
    const flags = ["--disable-warning=ExperimentalWarning", "--import", fileOf("source.mjs")];
    const values = [join(this.#folder, "runs.db"), String(this.#port), String(this.#streamsPerClient)];
    const child = spawn(process.execPath, [...flags, fileOf("server.ts"), ...values]);
    this.#child = child;
    let complaints = "";
    child.stderr.on("data", (data: Buffer) => (complaints += data));
    const line = await Promise.race([once(createInterface({ input: child.stdout }), "line"), once(child, "exit")]);
    if (!/^\d+$/.test(line[0])) throw new TypeError(`the server has ended: ${complaints}`);
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
}

/** Leads to a port, until it is cut. */
export class Wire implements AsyncDisposable {
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => this.#join(socket, connect(this.#to, "127.0.0.1")));
  readonly #to: number;
  /** How often something was cut. */
  cuts = 0;
  /**
   * So much comes through one connection from here on, and then it is cut: so there is something left to cut, however far the
   * server is ahead of whoever reads.
   */
  mostBytes: number = Number.POSITIVE_INFINITY;

  constructor(to: number) {
    this.#to = to;
  }

  async open(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #join(near: Socket, far: Socket): void {
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    near.pipe(far);
    if (this.mostBytes === Number.POSITIVE_INFINITY) far.pipe(near);
    else this.#passSome(far, near);
  }

  #passSome(far: Socket, near: Socket): void {
    let left = this.mostBytes;
    far.on("end", () => near.end());
    far.on("data", (data: Buffer) => {
      if (left <= 0) return;
      near.write(data.subarray(0, left));
      left -= data.length;
      if (left > 0) return;
      this.cuts += 1;
      for (const socket of [far, near]) this.#sockets.delete(socket); // not to be cut again
      near.end(() => far.destroy());
    });
  }

  /** Breaks every connection, as a plug that is pulled. */
  cut(): void {
    if (this.#sockets.size > 0) this.cuts += 1;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    this.#sockets.clear(); // they are gone; each is counted once
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
  }
}
