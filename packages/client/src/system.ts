/**
 * The only file that uses time and randomness.
 *
 * @module
 */

/** @throws the reason of `signal`, as soon as it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** @throws the reason of `signal`, when it aborts first. */
export async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([aborted, work]); // the work may be aborted, too
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** A random number from 0 up to 1. */
export function random(): number {
  return Math.random();
}

export function nowMs(): number {
  return Date.now();
}

/** Calls `late` once, `ms` milliseconds after the last `touch`. */
export interface Watchdog {
  touch(): void;
  stop(): void;
}

export function startWatchdog(ms: number, late: () => void): Watchdog {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => clearTimeout(timer);
  const touch = (): void => {
    stop();
    timer = setTimeout(late, ms);
  };
  return { touch, stop };
}

/** Calls `listener` when the browser is online again; on other platforms never. Returns the function that removes it. */
export function onReconnect(listener: () => void): () => void {
  const page = (globalThis as { readonly window?: EventTarget }).window;
  page?.addEventListener("online", listener);
  return () => page?.removeEventListener("online", listener);
}

/** A random UUID. `crypto.randomUUID` is missing on pages loaded over plain HTTP. */
export function newId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
