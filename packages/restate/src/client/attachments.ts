/**
 * Requests that Restate answers when an invocation ends. Whoever looks a second time at a run that the same invocation is at work on waits
 * for it, and is told at once; looks from time to time stay behind it.
 *
 * @module
 */
import type { RunKey } from "millrace/runtime";
import type { Ingress } from "./ingress.js";

/** Each keeps a request open. */
const MOST_OPEN = 100;
/** Invocations that are remembered. */
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

  /** A run was read, with the invocation that is at work on it. */
  look(key: RunKey, active: string | null): void {
    if (active === null || this.#closed.signal.aborted) return;
    if (!this.#seen.has(active)) return remember(this.#seen, active);
    if (this.#asked.has(active) || this.#open >= MOST_OPEN) return;
    remember(this.#asked, active); // also where it fails: the next look tells, too
    this.#open++;
    const told = (): void => {
      this.#open--;
      if (!this.#closed.signal.aborted) this.#onEnded(key);
    };
    this.#ingress.attach(active, this.#closed.signal).then(told, told);
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
