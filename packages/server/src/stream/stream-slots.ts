import { HttpError } from "../http/http-error.js";
import type { ServerLimits } from "../options.js";

/** How many streams are open: in all, and by whom. */
export class StreamSlots {
  readonly #limits: ServerLimits;
  readonly #ofClients: Map<string, number> = new Map();
  #open = 0;

  constructor(limits: ServerLimits) {
    this.#limits = limits;
  }

  get open(): number {
    return this.#open;
  }

  /** @param client Null: nobody knows; then only the limit of all holds. @throws {HttpError} `STREAMS_EXCEEDED` */
  assertFree(client: string | null): void {
    const { streams, streamsPerClient } = this.#limits;
    const own = client === null ? 0 : (this.#ofClients.get(client) ?? 0);
    if (this.#open < streams && own < streamsPerClient) return;
    throw new HttpError({
      status: 429,
      code: "STREAMS_EXCEEDED",
      detail: own < streamsPerClient ? "Too many streams are open." : `You have ${own} open streams.`,
      hint: "Close some, or share one.",
      headers: { "retry-after": "1" },
    });
  }

  /** Gives the way to give it back, which counts once. */
  take(client: string | null): () => void {
    this.#count(client, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#count(client, -1);
      isTaken = false;
    };
  }

  #count(client: string | null, change: number): void {
    this.#open += change;
    if (client === null) return;
    const count = (this.#ofClients.get(client) ?? 0) + change;
    if (count > 0) this.#ofClients.set(client, count);
    else this.#ofClients.delete(client);
  }
}
