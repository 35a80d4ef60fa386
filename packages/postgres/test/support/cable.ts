import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Whose messages are counted: those of the store, or those of the server. */
export type Side = "asked" | "answered";

/** What a cable does when the message comes that a test has chosen: that message does not arrive. */
interface Fault {
  /** Sees every message until it says yes. */
  readonly isAt: (side: Side, message: Buffer) => boolean;
  readonly how: "break" | "freeze" | "die" | "shut down";
}

/** A cable between a store and its server, which breaks where a test says. */
export class Cable implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #fault: Fault | null = null;
  readonly #frozen = new WeakSet<Socket>();
  #isDead = false;
  #targetPort: number;
  cuts = 0;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((client) => this.#join(client, connect(this.#targetPort, "127.0.0.1")));
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

  /** Breaks the connection at the message of this number from the next question on. */
  cutAt(side: Side, message: number): void {
    let left = message;
    let isAsked = false;
    const isAt = (of: Side): boolean => {
      isAsked ||= of === "asked"; // an answer to what was asked before may still come
      return isAsked && of === side && left-- === 0;
    };
    this.#fault = { isAt, how: "break" };
  }

  /** Lets nothing through from the first answer on to whoever asks with these bytes, and breaks nothing. */
  freezeAfter(asked: Buffer): void {
    this.#fault = { isAt: answerAfter(asked, () => true), how: "freeze" };
  }

  /** Dies at the answer to the commit of what was asked with these bytes. */
  dieAtCommitOf(asked: Buffer): void {
    this.#fault = { isAt: answerAfter(asked, isCommitted), how: "die" };
  }

  /** Leads to another server from here on, as an address does after a failover. */
  leadTo(url: string): void {
    this.#targetPort = Number(new URL(url).port);
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Lets the server shut down when it has just let the next connection in: both come in one packet. */
  shutDownAtGreeting(): void {
    this.#fault = { isAt: (side, message) => side === "answered" && typeOf(message) === "Z", how: "shut down" };
  }

  mend(): void {
    this.#fault = null;
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
    for (const message of one.messages) {
      if (this.#fault?.isAt(one.side, message)) {
        const { how } = this.#fault;
        this.#fault = null;
        this.cuts++;
        this.#frozen.add(one.client);
        // The server gets what was sent before, and works on it.
        if (how === "break") one.client.destroy();
        if (how === "die") this.die();
        if (how === "shut down") one.client.end(Buffer.concat([message, shutDown]));
        return;
      }
      if (!one.client.destroyed && !this.#frozen.has(one.client)) one.to.write(message);
    }
  }
}

function answerAfter(asked: Buffer, isAt: (message: Buffer) => boolean): Fault["isAt"] {
  let isAsked = false;
  return (side, message) => {
    if (side === "answered") return isAsked && isAt(message);
    isAsked ||= message.includes(asked);
    return false;
  };
}

/** `ReadyForQuery` outside of a transaction. */
function isCommitted(message: Buffer): boolean {
  return typeOf(message) === "Z" && message.toString("latin1", 5, 6) === "I";
}

const typeOf = (message: Buffer): string => message.toString("latin1", 0, 1);

/** `ErrorResponse`. */
const shutDown = ((): Buffer => {
  const fields = "SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0";
  const message = Buffer.alloc(5 + fields.length);
  message.write("E", 0);
  message.writeUInt32BE(4 + fields.length, 1);
  message.write(fields, 5);
  return message;
})();

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
