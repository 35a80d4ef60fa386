/** The clock, timers, chance and the console: for the rest of the package, they are here. */
import type { Log } from "millrace";

export const nowMs = (): number => Date.now();

export const isoTime = (atMs: number): string => new Date(atMs).toISOString();

export const newId = (): string => crypto.randomUUID();

/** Calls `wake` again and again. Returns the function that ends it. */
export function everyMs(ms: number, wake: () => void): () => void {
  const timer = setInterval(wake, ms);
  return () => clearInterval(timer);
}

/** Resolves after this time, or when the signal aborts. */
export function passed(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, 0x7fff_ffff));
    signal?.addEventListener("abort", done);
    if (signal?.aborted) done();
  });
}

/** 32 characters, equal for equal values. */
export async function hashOf(...values: readonly string[]): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(values)));
  return Array.from(new Uint8Array(bytes, 0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const consoleLog: Log = {
  info: (message) => console.info(message),
  error: (message, error) => console.error(message, ...(error === undefined ? [] : [error])),
};
