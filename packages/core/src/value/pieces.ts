/**
 * Pieces that calls write: texts and other objects, in one list that grows at its end. A position counts each character of a
 * text, and any other piece as one.
 *
 * @module
 */

/** Text, or an object. Texts that follow each other are one, also in objects whose other fields are equal: `{ id: "1", text }`. */
export type Piece = string | { readonly [field: string]: unknown };

/** Pieces that a call has written since a position. The fields of a `PiecesEvent`. */
export interface WrittenPieces {
  /** The call that has written them. */
  readonly call: string;
  /** Grows each time the function of the call begins again: what it had written before does not count. */
  readonly attempt: number;
  /** Position of the first of these pieces: see {@link Piece}. */
  readonly at: number;
  readonly pieces: readonly Piece[];
  /** `true` if the call is recorded, and these are all. */
  readonly isAll?: true;
}

/** The type of the events that hold them. */
export const piecesType = "millrace.pieces";

export function sizeOf(piece: Piece): number {
  return textOf(piece)?.length ?? 1;
}

export function sizeOfAll(pieces: readonly Piece[]): number {
  return pieces.reduce((size, piece) => size + sizeOf(piece), 0);
}

/** Returns the pieces after a position. */
export function piecesAfter(pieces: readonly Piece[], position: number): Piece[] {
  const rest: Piece[] = [];
  let at = 0;
  for (const piece of pieces) {
    const skipped = position - at;
    at += sizeOf(piece);
    if (at <= position) continue;
    rest.push(skipped > 0 ? withText(piece, (textOf(piece) as string).slice(skipped)) : piece);
  }
  return rest;
}

export function textOf(piece: Piece): string | null {
  const text = typeof piece === "string" ? piece : piece["text"];
  return typeof text === "string" ? text : null;
}

export function withText(piece: Piece, text: string): Piece {
  return typeof piece === "string" ? text : { ...piece, text };
}

/**
 * Reads the pieces of calls, each once, although streams repeat them: a reader that continues after a lost connection, or learns of a
 * call when it has ended, gets pieces that it may have.
 *
 * @example
 * const reader = new PieceReader();
 * for await (const { event, writer } of handler.streamEvents()) {
 *   const news = PiecesEvent.is(event) ? reader.take(event, writer) : null;
 *   if (news?.at === 0) console.log("the call begins (again)");
 *   if (news) console.log(news.pieces);
 * }
 */
export class PieceReader {
  /** Up to where the reader has the pieces of each call, by writer and call. @internal */
  readonly known: Map<string, { readonly attempt: number; readonly at: number }> = new Map();

  /**
   * Returns the new part; `null` if nothing is new. With `at` 0 the call has begun, or begun again, and earlier pieces of it
   * do not count.
   *
   * @param writer Writer of the streamed event: calls of different work items have the same ids.
   */
  take<Written extends WrittenPieces>(written: Written, writer = ""): Written | null {
    const { call, attempt, at, pieces } = written;
    const place = `${writer} ${call}`;
    const known = this.known.get(place);
    if (known !== undefined && known.attempt > attempt) return null;
    const from = known?.attempt === attempt ? Math.max(known.at, at) : at;
    const end = at + sizeOfAll(pieces);
    if (end <= from && (pieces.length > 0 || known?.attempt === attempt)) return null;
    this.known.set(place, { attempt, at: end });
    return from === at ? written : { ...written, at: from, pieces: piecesAfter(pieces, from - at) };
  }
}
