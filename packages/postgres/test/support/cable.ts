import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Whose messages are counted: those of the store, or those of the server. */
export type Side = "asked" | "answered";

/** A cable between a store and its server, which breaks where a test says. */
export class Cable implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cut: { readonly side: Side; left: number; readonly how: "break" | "freeze" } | null = null;
  readonly #frozen = new WeakSet<Socket>();
  #isDead = false;
  cuts = 0;
  /** Messages of the server so far. */
  answers = 0;

  private constructor(targetPort: number) {
    this.#server = createServer((client) => this.#join(client, connect(targetPort, "127.0.0.1")));
  }

  static async open(url: string): Promise<Cable> {
    const cable = new Cable(Number(new URL(url).port));
    cable.#server.listen(0, "127.0.0.1");
    await once(cable.#server, "listening");
    return cable;
  }

  /** The address of the same database through this cable. */
  urlOf(url: string): string {
    const through = new URL(url);
    through.hostname = "127.0.0.1";
    through.port = String((this.#server.address() as AddressInfo).port);
    return through.href;
  }

  /** Breaks the connection at the message of this number from now on, which does not arrive. */
  cutAt(side: Side, message: number): void {
    this.#cut = { side, left: message, how: "break" };
  }

  /** Lets nothing through from the message of this number on, and breaks nothing. */
  freezeAt(side: Side, message: number): void {
    this.#cut = { side, left: message, how: "freeze" };
  }

  mend(): void {
    this.#cut = null;
    this.#isDead = false;
  }

  /** Breaks all connections, and lets none be made. */
  die(): void {
    this.#isDead = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(client: Socket, server: Socket): void {
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => undefined); // the other end hears of it
      socket.on("close", () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.end();
      });
    }
    if (this.#isDead) return void client.destroy();
    const toServer = new Messages(false);
    const toClient = new Messages(true);
    client.on("data", (chunk) => this.#pass({ side: "asked", messages: toServer.take(chunk), to: server, client }));
    server.on("data", (chunk) => this.#pass({ side: "answered", messages: toClient.take(chunk), to: client, client }));
  }

  #pass(one: { side: Side; messages: readonly Buffer[]; to: Socket; client: Socket }): void {
    if (one.side === "answered") this.answers += one.messages.length;
    for (const message of one.messages) {
      if (this.#cut?.side === one.side && this.#cut.left-- === 0) {
        const { how } = this.#cut;
        this.#cut = null;
        this.cuts++;
        this.#frozen.add(one.client);
        if (how === "freeze") return;
        // The server gets what was sent before, and works on it.
        one.client.destroy();
        return;
      }
      if (!one.client.destroyed && !this.#frozen.has(one.client)) one.to.write(message);
    }
  }
}

/** Cuts a stream into the messages of the protocol. The first one of a client has no type. */
export class Messages {
  #rest: Buffer = Buffer.alloc(0);
  #isTyped: boolean;

  constructor(isTyped: boolean) {
    this.#isTyped = isTyped;
  }

  take(chunk: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const messages: Buffer[] = [];
    for (;;) {
      const head = this.#isTyped ? 1 : 0;
      if (this.#rest.length < head + 4) return messages;
      const length = head + this.#rest.readUInt32BE(head);
      if (this.#rest.length < length) return messages;
      messages.push(this.#rest.subarray(0, length));
      this.#rest = this.#rest.subarray(length);
      this.#isTyped = true;
    }
  }
}
