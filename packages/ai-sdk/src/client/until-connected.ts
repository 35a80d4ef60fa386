import { passed } from "../system.js";

const firstDelayMs = 250;
const mostDelayMs = 5_000;

/** Repeats a request until it reaches the server, with growing delays. Other failures are those of the request. */
export async function untilConnected<Answer>(ask: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, mostDelayMs)) {
    try {
      return await ask();
    } catch (error) {
      // Without a connection, `fetch` fails with a TypeError.
      if (!(error instanceof TypeError) || signal?.aborted) throw error;
      await passed(delayMs, signal);
      if (signal?.aborted) throw error;
    }
  }
}
