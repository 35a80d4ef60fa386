import type { PostgresClient } from "./driver.types.js";

/** A separate connection for notifications of other stores. */
export interface Line {
  readonly client: Pick<PostgresClient, "query" | "on">;
  readonly close: () => void;
}

export interface ListenerSetup {
  readonly open: () => Promise<Line>;
  readonly channel: string;
  /** The connection listens. Notices that were sent before may have been missed. */
  readonly onListening: () => void;
  readonly onHeard: (payload: string) => void;
  /** The connection was lost; another one is tried. */
  readonly onLost: () => void;
}

/** Hears notices for as long as it is not stopped. */
export class Listener {
  readonly #setup: ListenerSetup;
  #line: Line | null = null;
  #timer: NodeJS.Timeout | null = null;
  #pauseMs = 100;
  #isStopped = false;

  constructor(setup: ListenerSetup) {
    this.#setup = setup;
    void this.#connect();
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#line?.close();
    this.#line = null;
  }

  async #connect(): Promise<void> {
    const { open, channel, onListening, onHeard } = this.#setup;
    let line: Line | null = null;
    try {
      line = await open();
      const { client } = line;
      client.on("error", () => this.#lose(line));
      client.on("end", () => this.#lose(line));
      client.on("notification", (said: { readonly channel: string; readonly payload?: string }) => {
        if (said.channel === channel) onHeard(said.payload ?? "");
      });
      if (this.#isStopped) return line.close();
      this.#line = line;
      await client.query({ text: `LISTEN ${channel}` });
      this.#pauseMs = 100;
      onListening();
    } catch {
      // Looks at the tables replace it meanwhile.
      if (line === null) this.#again();
      else this.#lose(line);
    }
  }

  #lose(line: Line | null): void {
    if (line === null || this.#line !== line) return;
    this.#line = null;
    line.close();
    this.#setup.onLost();
    this.#again();
  }

  #again(): void {
    if (this.#isStopped) return;
    // The pause is random, so that the processes do not all reconnect at once when the server is back.
    this.#timer = setTimeout(() => void this.#connect(), this.#pauseMs * (0.5 + Math.random() / 2));
    this.#timer.unref();
    this.#pauseMs = Math.min(5_000, this.#pauseMs * 2);
  }
}
