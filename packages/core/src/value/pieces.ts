/**
 * What calls write: texts, and other pieces, in one list that grows at its end. A position in it counts characters of text, and one
 * for any other piece.
 *
 * @module
 */
import type { Piece } from "./pieces.types.js";

/** The type of the events that hold them. */
export const piecesType = "millrace.pieces";

export function sizeOf(piece: Piece): number {
  return textOf(piece)?.length ?? 1;
}

export function sizeOfAll(pieces: readonly Piece[]): number {
  return pieces.reduce((size, piece) => size + sizeOf(piece), 0);
}

/** What follows a position. */
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
