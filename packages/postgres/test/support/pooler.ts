import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { Messages } from "./cable.js";

/** One program behind the pooler. */
interface Client {
  readonly socket: Socket;
  /** What it has sent and the server has not got yet. */
  readonly waiting: Buffer[];
}

/**
 * A pooler with a single connection to the server, which it gives to one client for one transaction at a time, as pgbouncer does
 * in transaction mode. For a server that asks for no password.
 */
export class Pooler implements AsyncDisposable {
  readonly #target: URL;
  readonly #listening: Server;
  readonly #clients = new Set<Client>();
  #server: Socket | null = null;
  /** What the server said when it was connected to. */
  #greeting: Buffer[] = [];
  #owner: Client | null = null;
  /** Answers of the server that are still to come for the owner. */
  #open = 0;

  private constructor(url: string) {
    this.#target = new URL(url);
    this.#listening = createServer((socket) => void this.#accept(socket));
  }

  static async open(url: string): Promise<Pooler> {
    const pooler = new Pooler(url);
    await pooler.#connect();
    pooler.#listening.listen(0, "127.0.0.1");
    await once(pooler.#listening, "listening");
    return pooler;
  }

  get url(): string {
    const url = new URL(this.#target);
    url.hostname = "127.0.0.1";
    url.port = String((this.#listening.address() as AddressInfo).port);
    return url.href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.#clients) socket.destroy();
    this.#server?.destroy();
    this.#listening.close();
    await once(this.#listening, "close");
  }

  async #connect(): Promise<void> {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    this.#server = server;
    server.setNoDelay(true);
    server.on("error", () => server.destroy());
    const messages = new Messages(true);
    const greeting: Buffer[] = [];
    const greeted = new Promise<void>((resolve) => {
      server.on("data", (chunk) => {
        for (const message of messages.take(chunk)) {
          if (this.#greeting !== greeting) greeting.push(message);
          else this.#answer(message);
          if (this.#greeting === greeting || typeOf(message) !== "Z") continue;
          this.#greeting = greeting;
          resolve();
        }
      });
    });
    const names = `user\0${this.#target.username}\0database\0${this.#target.pathname.slice(1)}\0client_encoding\0UTF8\0\0`;
    const startup = Buffer.alloc(8 + Buffer.byteLength(names));
    startup.writeUInt32BE(startup.length, 0);
    startup.writeUInt32BE(196_608, 4); // version 3.0 of the protocol
    startup.write(names, 8);
    server.write(startup);
    await greeted;
  }

  #accept(socket: Socket): void {
    const client: Client = { socket, waiting: [] };
    const messages = new Messages(false);
    let isGreeted = false;
    socket.setNoDelay(true);
    this.#clients.add(client);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => void this.#leave(client));
    socket.on("data", (chunk) => {
      for (const message of messages.take(chunk)) {
        if (!isGreeted) for (const said of this.#greeting) socket.write(said);
        else if (typeOf(message) !== "X") client.waiting.push(message);
        isGreeted = true;
      }
      this.#next();
    });
  }

  async #leave(client: Client): Promise<void> {
    this.#clients.delete(client);
    if (this.#owner !== client) return;
    // Its transaction ends with the connection.
    this.#server?.destroy();
    this.#greeting = [];
    this.#open = 0;
    await this.#connect();
    this.#owner = null;
    this.#next();
  }

  /** Gives the server to who waits, and sends what its owner has to say. */
  #next(): void {
    if (this.#greeting.length === 0) return;
    this.#owner ??= [...this.#clients].find(({ waiting }) => waiting.length > 0) ?? null;
    for (const message of this.#owner?.waiting.splice(0) ?? []) {
      if (typeOf(message) === "Q" || typeOf(message) === "S") this.#open++;
      this.#server?.write(message);
    }
  }

  #answer(message: Buffer): void {
    this.#owner?.socket.write(message);
    if (typeOf(message) !== "Z") return;
    this.#open--;
    const isIdle = message.toString("latin1", 5, 6) === "I";
    if (!isIdle || this.#open > 0 || this.#owner === null) return;
    // To the end of the line, so that everybody has a turn.
    this.#clients.delete(this.#owner);
    this.#clients.add(this.#owner);
    this.#owner = null;
    this.#next();
  }
}

const typeOf = (message: Buffer): string => message.toString("latin1", 0, 1);
