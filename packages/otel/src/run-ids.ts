/**
 * Span ids that every process can compute: the SDK takes the ids of the spans of runs and attempts from the run.
 *
 * @module
 */

/** The part of the SDK's `IdGenerator` that makes the ids of a span. */
export interface SpanIds {
  generateTraceId(): string;
  generateSpanId(): string;
}

export interface Ids {
  readonly traceId: string;
  readonly spanId: string;
}

interface Wanted {
  next: Ids | null;
  /** Whether an SDK has used them. */
  isTaken: boolean;
}

/** Shared by all copies of this package: an app may load two versions, or one inside of a bundle. */
const shared = globalThis as { [key: symbol]: Wanted | undefined };
const key = Symbol.for("millrace.otel.ids");
const wanted: Wanted = (shared[key] ??= { next: null, isTaken: false });

/**
 * An `idGenerator` for the SDK. With it a run has one span, which starts and ends with the run, and every attempt is a child of that span,
 * in whichever process it ran. Use it in every process or in none.
 *
 * @example
 * new NodeSDK({ idGenerator: runIds(), … })
 */
export function runIds(): SpanIds {
  return {
    generateTraceId: () => wanted.next?.traceId ?? randomHex(16),
    generateSpanId() {
      wanted.isTaken = true;
      return wanted.next?.spanId ?? randomHex(8);
    },
  };
}

/** Makes one span, with these ids if the SDK uses {@link runIds}. */
export function withIds<Made>(ids: Ids, make: () => Made): Made {
  wanted.next = ids;
  try {
    return make();
  } finally {
    wanted.next = null;
  }
}

/** Whether the SDK behind `make`, which starts a span, uses {@link runIds}. */
export function hasRunIds(make: () => unknown): boolean {
  wanted.isTaken = false;
  make();
  return wanted.isTaken;
}

function randomHex(bytes: number): string {
  const random = globalThis.crypto.getRandomValues(new Uint8Array(bytes));
  const text = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return /[^0]/.test(text) ? text : randomHex(bytes);
}
