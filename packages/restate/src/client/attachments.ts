/**
 * Requests that Restate answers when an invocation ends. A second read of a run that the same invocation still works on waits for its
 * end, so it needs no polling; polling stays as a fallback.
 *
 * @module
 */
import type { RunKey } from "millrace/runtime";
import type { Ingress } from "./ingress.js";

/** Most attachments at a time. Each keeps a request open. */
const MOST_OPEN = 100;
/** Most invocations that are remembered. */
const MOST_SEEN = 1_000;

export class Attachments {
  readonly #ingress: Ingress;
  readonly #onEnded: (key: RunKey) => void;
  readonly #seen: Set<string> = new Set();
  readonly #asked: Set<string> = new Set();
  readonly #closed: AbortController = new AbortController();
  #open = 0;

  constructor(ingress: Ingress, onEnded: (key: RunKey) => void) {
    this.#ingress = ingress;
    this.#onEnded = onEnded;
  }

  /** Notes that a run was read, and the invocation that works on it. */
  noteRead(key: RunKey, active: string | null): void {
    if (active === null || this.#closed.signal.aborted) return;
    if (!this.#seen.has(active)) return remember(this.#seen, active);
    if (this.#asked.has(active) || this.#open >= MOST_OPEN) return;
    remember(this.#asked, active); // also after a failure: the next poll finds the end, too
    this.#open++;
    const ended = (): void => {
      this.#open--;
      if (!this.#closed.signal.aborted) this.#onEnded(key);
    };
    this.#ingress.attach(active, this.#closed.signal).then(ended, ended);
  }

  close(): void {
    this.#closed.abort();
  }
}

function remember(invocations: Set<string>, id: string): void {
  invocations.add(id);
  const [oldest] = invocations;
  if (invocations.size > MOST_SEEN && oldest !== undefined) invocations.delete(oldest);
}
