/**
 * Keys of a run in the state of its virtual object.
 *
 *     row                  the summary of the run, and the invocation that works on it
 *     t/<first>-<last>     ticks of one round            r/<position>   the receipt of a post
 *     e/<first>-<last>     events of the stream          k/<key>        the receipt of a request with that key
 *     s/<tick>             a snapshot                    b/<hash>       a large value that the others refer to
 *
 * Numbers are padded to one length, so that keys sort by number.
 *
 * @module
 */

export const ROW = "row";

export type Kind = "t" | "e" | "s";

export interface Span {
  readonly key: string;
  readonly first: number;
  readonly last: number;
}

const DIGITS = 12;

const padded = (number: number): string => String(number).padStart(DIGITS, "0");

export function spanKey(kind: "t" | "e", first: number, last: number): string {
  return `${kind}/${padded(first)}-${padded(last)}`;
}

export function snapshotKey(tick: number): string {
  return `s/${padded(tick)}`;
}

export function receiptKey(of: number | string): string {
  return typeof of === "number" ? `r/${of}` : `k/${of}`;
}

export function blobKey(hash: string): string {
  return `b/${hash}`;
}

/** All spans of one kind, in order. A snapshot is a span of one tick. */
export function spansOf(kind: Kind, keys: readonly string[]): Span[] {
  return keys
    .filter((key) => key.startsWith(`${kind}/`))
    .sort()
    .map((key) => {
      const [first = "", last = first] = key.slice(2).split("-");
      return { key, first: Number(first), last: Number(last) };
    });
}

/** Spans with ticks or events after a number, enough for `limit` of them. */
export function spansAfter(spans: readonly Span[], { after, limit }: { after: number; limit: number }): Span[] {
  const from = spans.findIndex(({ last }) => last > after);
  return from < 0 ? [] : spans.slice(from, from + limit);
}

export function blobHashes(keys: readonly string[]): string[] {
  return keys.filter((key) => key.startsWith("b/")).map((key) => key.slice(2));
}
