/** One program at work: in a worker, which is ended when the program does not let it answer. */
import type { FromWorker, ToWorker } from "./messages.types.ts";
import { modules } from "./modules.ts";

export interface ExecutionEvents {
  onMessage(message: FromWorker): void;
  /** It was ended because it has not answered for this long. */
  onStuck(ms: number): void;
}

const PING_EVERY_MS = 250;
/** Pings without an answer, and not time: the page itself may have stood still. */
const STUCK_AFTER = 20;
/** What computes for longer without a pause is taken for an endless loop. */
export const STUCK_AFTER_MS = PING_EVERY_MS * STUCK_AFTER;

export class Execution {
  readonly #worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  readonly #program: string;
  readonly #events: ExecutionEvents;
  #pinging: ReturnType<typeof setInterval> | null = null;
  /** Nothing is counted until the first answer: the worker loads. */
  #unanswered: number | null = null;

  /** @param code The compiled program. */
  constructor(code: string, addressOf: (path: string) => string, events: ExecutionEvents) {
    this.#events = events;
    this.#program = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    this.#worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.#heard(data));
    this.#worker.addEventListener("error", ({ message }) => {
      const failure = { name: "Error", message, code: null, hint: null };
      events.onMessage({ type: "failed", failure });
    });
    this.#say({ type: "start", program: this.#program, millrace: addressOf(`/playground/${modules["millrace"]}`) });
    this.#say({ type: "ping" });
    this.#pinging = setInterval(() => this.#ping(), PING_EVERY_MS);
  }

  stop(): void {
    if (this.#pinging === null) return;
    clearInterval(this.#pinging);
    this.#pinging = null;
    this.#worker.terminate();
    URL.revokeObjectURL(this.#program);
  }

  #say(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #heard(message: FromWorker): void {
    if (this.#pinging === null) return;
    if (message.type === "pong") this.#unanswered = 0;
    else this.#events.onMessage(message);
  }

  #ping(): void {
    if (this.#unanswered === null) return;
    this.#unanswered++;
    this.#say({ type: "ping" });
    if (this.#unanswered <= STUCK_AFTER) return;
    this.stop();
    this.#events.onStuck(STUCK_AFTER_MS);
  }
}
