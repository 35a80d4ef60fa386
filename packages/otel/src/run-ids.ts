/**
 * Span ids that every process knows: the SDK gives the span of a run and of an attempt the id that follows from the run.
 *
 * @module
 */

/** What the SDK calls for the ids of a span. */
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
  /** An SDK has taken it. */
  isTaken: boolean;
}

/** Shared by all copies of this package: an app may load two versions, or one that a bundler has built in. */
const shared = globalThis as { [key: symbol]: Wanted | undefined };
const key = Symbol.for("millrace.otel.ids");
const wanted: Wanted = (shared[key] ??= { next: null, isTaken: false });

/**
 * The `idGenerator` of the SDK. With it a run has one span, that starts with the run and ends with it, and every attempt is a child of
 * that span, in whatever process it ran. Give it to every process, or to none.
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

/** Makes one span, with these ids where the SDK has {@link runIds}. */
export function withIds<Made>(ids: Ids, make: () => Made): Made {
  wanted.next = ids;
  try {
    return make();
  } finally {
    wanted.next = null;
  }
}

/** Whether the SDK behind `make`, which starts a span, has {@link runIds}. */
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
